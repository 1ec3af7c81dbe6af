// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as people write them, against long arithmetic on strings of digits:
 * what is accepted has exactly that value; whole numbers are read back.
 */
#include <ctype.h>
#include <math.h>

#include "../../user/cli/number.h"
#include "fuzz.h"

#define MAX_TEXT	(40 * 1024)

/* Digits, the least first. */
struct digits {
	size_t nr;
	uint8_t digit[2 * MAX_TEXT + 64];
};

static struct digits value;

static void digits_multiply(struct digits *digits, unsigned int factor)
{
	unsigned int carry = 0;
	size_t i;

	for (i = 0; i < digits->nr || carry; i++) {
		if (i == digits->nr)
			digits->digit[digits->nr++] = 0;
		carry += digits->digit[i] * factor;
		digits->digit[i] = carry % 10;
		carry /= 10;
	}
}

/* Without its last @cut digits; false if these are not all 0 or it is large. */
static bool digits_value(const struct digits *digits, size_t cut, uint64_t *to)
{
	uint64_t result = 0;
	size_t i;

	for (i = 0; i < cut && i < digits->nr; i++) {
		if (digits->digit[i])
			return false;
	}
	for (i = digits->nr; i > cut; i--) {
		if (__builtin_mul_overflow(result, 10, &result) ||
		    __builtin_add_overflow(result, digits->digit[i - 1],
					   &result))
			return false;
	}
	*to = result;
	return true;
}

static unsigned int unit_power(const char **at, unsigned int *base)
{
	static const char letters[] = "kMGT";
	const char *letter = **at ? strchr(letters, **at == 'K' ? 'k' : **at) :
			     NULL;

	*base = 1000;
	if (!letter)
		return 0;
	if (*++*at == 'i') {
		*base = 1024;
		++*at;
	}
	return letter - letters + 1;
}

/* What a text is worth: its digits go to @value, least first. */
static bool reference_count(const char *text, bool bytes, uint64_t *result)
{
	const char *at = text, *point = NULL, *end;
	unsigned int base, power;
	int64_t exponent = 0;
	size_t cut, i;

	at += strspn(at, "0123456789");
	if (*at == '.') {
		point = at++;
		at += strspn(at, "0123456789");
	}
	end = at;
	if (end - text == (point ? 1 : 0))
		return false;
	if (*at == 'e' || *at == 'E') {
		const char *sign = ++at;

		at += *at == '+' || *at == '-';
		for (; isdigit((unsigned char)*at); at++)
			if (exponent < MAX_TEXT * 100)
				exponent = exponent * 10 + *at - '0';
		if (!isdigit((unsigned char)at[-1]))
			return false;
		if (*sign == '-')
			exponent = -exponent;
	}
	power = unit_power(&at, &base);
	at += bytes && *at == 'B';
	if (*at)
		return false;

	value.nr = 0;
	for (i = end - text; i; i--)
		if (text + i - 1 != point)
			value.digit[value.nr++] = text[i - 1] - '0';
	for (; power; power--)
		digits_multiply(&value, base);
	if (point)
		exponent -= end - point - 1;
	while (value.nr && !value.digit[value.nr - 1])
		value.nr--;
	if (!value.nr)
		exponent = 0;
	cut = exponent < 0 ? -exponent : 0;
	if (!digits_value(&value, cut, result))
		return false;
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(*result, 10, result))
			return false;
	return true;
}

/* Digits that have to fit: more than 19 may be refused, but not misread. */
static bool many_digits(const char *text)
{
	size_t nr = 0;

	for (; isdigit((unsigned char)*text) || *text == '.'; text++)
		nr += nr || (*text != '0' && *text != '.');
	return nr > 19 || strlen(text) > 9000;
}

static void check_count(const char *text, bool bytes)
{
	uint64_t is = 0x5a5a, shall;
	bool good = bytes ? number_bytes(text, &is) : number_count(text, &is);
	bool expected = reference_count(text, bytes, &shall);

	if (good) {
		FUZZ_CHECK(expected);
		FUZZ_CHECK(is == shall);
	} else {
		FUZZ_EQ(is, 0x5a5a);
		FUZZ_CHECK(!expected || many_digits(text) ||
			   strlen(text) > 9000);
	}
}

static void check_share(const char *text)
{
	double share = -1, shall;
	uint64_t sum;
	char *end;

	if (!number_share(text, &share)) {
		FUZZ_CHECK(share == -1);
		return;
	}
	shall = strtod(text, &end);
	FUZZ_CHECK(end != text && (!*end || !strcmp(end, "%")));
	if (*end)
		shall /= 100;
	FUZZ_CHECK(isfinite(share) && share >= 0 && share == shall);
	if (number_add_share(12345678901, share, &sum))
		FUZZ_CHECK(fabs(12345678901 * (1 + share) - sum) <=
			   0.6 + sum * 1e-15);
	else
		FUZZ_CHECK(12345678901 * (1 + share) > 1.8e19);
}

static void check_word(const char *text, size_t len)
{
	uint64_t is = 0x5a5a, shall;
	char copy[24];
	char *end;

	if (!number_word(text, len, &is)) {
		FUZZ_EQ(is, 0x5a5a);
		/* All numbers that are printed are accepted. */
		if (len && len < 20 && strspn(text, "0123456789") >= len)
			abort();
		return;
	}
	FUZZ_CHECK(len && isxdigit((unsigned char)text[len - 1]));
	while (len > 20 && *text == '0' && isdigit((unsigned char)text[1])) {
		text++;
		len--;
	}
	if (len >= sizeof(copy))
		return;
	memcpy(copy, text, len);
	copy[len] = 0;
	shall = strtoull(copy, &end,
			 copy[1] == 'x' || copy[1] == 'X' ? 16 : 10);
	FUZZ_CHECK(!*end && is == shall);
}

static void check_mode(const char *text)
{
	unsigned int mode = 0x5a5a;
	char *end;

	if (!number_mode(text, &mode)) {
		FUZZ_EQ(mode, 0x5a5a);
		return;
	}
	FUZZ_CHECK(mode == strtoul(text, &end, 8) && !*end && mode <= 07777);
}

/* A number in all its forms. */
static void check_back(uint64_t number)
{
	char text[64];
	uint64_t back;
	int len;

	len = snprintf(text, sizeof(text), "%" PRIu64, number);
	FUZZ_CHECK(number_count(text, &back) && back == number);
	FUZZ_CHECK(number_word(text, len, &back) && back == number);
	len = snprintf(text, sizeof(text), "0x%" PRIx64, number);
	FUZZ_CHECK(number_word(text, len, &back) && back == number);
	number >>= 10;
	snprintf(text, sizeof(text), "%" PRIu64 "KiB", number);
	FUZZ_CHECK(number_bytes(text, &back) && back == number << 10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { data, data + size };
	static char expanded[MAX_TEXT + 1];
	size_t len;
	char *text;

	check_back(size < 8 ? size : take(&input, 8));
	input.at = data;
	len = take_expanded(&input, expanded, MAX_TEXT);
	/* As large as it must be and no larger, so that ASan sees overruns. */
	text = malloc(len ? len : 1);
	FUZZ_CHECK(text);
	memcpy(text, expanded, len);
	check_word(text, len);
	free(text);

	text = strndup(expanded, len);
	FUZZ_CHECK(text);
	check_count(text, false);
	check_count(text, true);
	check_share(text);
	check_mode(text);
	free(text);
	return 0;
}
