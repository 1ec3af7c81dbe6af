// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* Most digits behind the point. Ten times that still fits in an int. */
#define EXPONENT_MAX	9999

/* digits * 10^exponent */
struct decimal {
	uint64_t digits;
	int exponent;
	bool overflow;		/* it did not fit */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void decimal_digit(struct decimal *decimal, char c)
{
	uint64_t digits;

	if (__builtin_mul_overflow(decimal->digits, 10, &digits) ||
	    __builtin_add_overflow(digits, (uint64_t)(c - '0'), &digits))
		decimal->overflow = true;
	else
		decimal->digits = digits;
}

/*
 * Read 12, 1.5, .5, 1e6 or 1.5e-3, without a sign. Returns what follows it, or
 * NULL if there is no number.
 */
static const char *decimal_read(const char *p, struct decimal *decimal)
{
	bool negative = false;
	int exponent = 0;
	bool any = false;

	*decimal = (struct decimal){};
	for (; is_digit(*p); p++, any = true)
		decimal_digit(decimal, *p);
	if (*p == '.') {
		for (p++; is_digit(*p); p++, any = true) {
			decimal_digit(decimal, *p);
			if (decimal->exponent > -EXPONENT_MAX)
				decimal->exponent--;
			else
				decimal->overflow = true;
		}
	}
	if (!any)
		return NULL;
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			negative = *p++ == '-';
		if (!is_digit(*p))
			return NULL;
		for (; is_digit(*p); p++) {
			/* No digits behind the point make up for that. */
			if (exponent < 10 * EXPONENT_MAX)
				exponent = exponent * 10 + (*p - '0');
		}
		decimal->exponent += negative ? -exponent : exponent;
	}
	return p;
}

/* Divide one of two factors; false if their product is no multiple. */
static bool divide(uint64_t *a, uint64_t *b, unsigned int divisor)
{
	uint64_t *factor = *a % divisor ? b : a;

	if (*factor % divisor)
		return false;
	*factor /= divisor;
	return true;
}

/* decimal * unit, if that is a whole number of 64 bits. */
static bool decimal_scale(const struct decimal *decimal, uint64_t unit,
			  uint64_t *value)
{
	uint64_t result = decimal->digits;
	int exponent = decimal->exponent;

	if (decimal->overflow)
		return false;
	if (!result) {
		*value = 0;
		return true;
	}
	for (; exponent < 0; exponent++) {
		if (!divide(&result, &unit, 2) || !divide(&result, &unit, 5))
			return false;
	}
	for (; exponent > 0; exponent--) {
		if (__builtin_mul_overflow(result, 10, &result))
			return false;
	}
	if (__builtin_mul_overflow(result, unit, &result))
		return false;
	*value = result;
	return true;
}

/* Read a suffix. Returns what follows it. */
static const char *unit_read(const char *p, uint64_t *unit)
{
	static const char letters[] = "kMGT";
	const char *letter = NULL;
	int base = 1000;
	int power;

	*unit = 1;
	if (*p)
		letter = strchr(letters, *p == 'K' ? 'k' : *p);
	if (!letter)
		return p;
	if (*++p == 'i') {
		base = 1024;
		p++;
	}
	for (power = letter - letters; power >= 0; power--)
		*unit *= base;
	return p;
}

bool number_count(const char *text, uint64_t *value)
{
	struct decimal decimal;
	uint64_t unit;
	const char *p;

	p = decimal_read(text, &decimal);
	if (!p || *unit_read(p, &unit))
		return false;
	return decimal_scale(&decimal, unit, value);
}

bool number_bytes(const char *text, uint64_t *value)
{
	struct decimal decimal;
	uint64_t unit;
	const char *p;

	p = decimal_read(text, &decimal);
	if (!p)
		return false;
	p = unit_read(p, &unit);
	if (*p == 'B')
		p++;
	if (*p)
		return false;
	return decimal_scale(&decimal, unit, value);
}

bool number_share(const char *text, double *value)
{
	struct decimal decimal;
	double result;
	const char *p;
	bool percent;

	p = decimal_read(text, &decimal);
	if (!p)
		return false;
	percent = *p == '%';
	if (p[percent])
		return false;
	/* The program never leaves the C locale, so the point is a point. */
	result = strtod(text, NULL);
	if (percent)
		result /= 100;
	if (!isfinite(result))
		return false;
	*value = result;
	return true;
}

bool number_add_share(uint64_t count, double share, uint64_t *sum)
{
	double more = floor((double)count * share + 0.5);

	/* 2^64, the first double that does not fit */
	if (!(more < 0x1p64))
		return false;
	return !__builtin_add_overflow(count, (uint64_t)more, sum);
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool number_word(const char *text, size_t len, uint64_t *value)
{
	const char *end = text + len;
	uint64_t result = 0;
	int base = 10;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (text == end)
		return false;
	for (; text < end; text++) {
		int digit = digit_value(*text);

		if (digit >= base ||
		    __builtin_mul_overflow(result, base, &result) ||
		    __builtin_add_overflow(result, digit, &result))
			return false;
	}
	*value = result;
	return true;
}

bool number_mode(const char *text, unsigned int *value)
{
	unsigned int result = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (i == 4 || text[i] < '0' || text[i] > '7')
			return false;
		result = result * 8 + (text[i] - '0');
	}
	if (!i)
		return false;
	*value = result;
	return true;
}
