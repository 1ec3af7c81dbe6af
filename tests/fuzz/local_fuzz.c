// SPDX-License-Identifier: GPL-2.0
/*
 * The library's local backend against a ledger that knows every bit and every
 * counter: any sequence of calls, good and bad.
 */
#include <errno.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <gloom.h>

#include "reference.h"

#define MAX_BLOCKS	40
#define MAX_KEYS	300

/* What a byte of results is before, to see which were written. */
#define UNTOUCHED	0xa5

struct ledger {
	uint64_t nr_blocks, seed;
	unsigned int k;
	enum gloom_hash hash;
	uint64_t adds, adds_new, tests, positives;
	uint8_t blocks[MAX_BLOCKS][64];
};

static struct ledger ledger;
static struct gloom_filter *filter;

static int key_error(const void *key, size_t len)
{
	if (len > GLOOM_KEY_MAX)
		return -EMSGSIZE;
	if (ledger.hash == GLOOM_PREHASHED && len != 8)
		return -EINVAL;
	return len && !key ? -EFAULT : 0;
}

static uint64_t key_hash(const void *key, size_t len)
{
	uint64_t hash;

	if (!len)
		key = "";
	if (ledger.hash == GLOOM_XXH64)
		return XXH64(key, len, ledger.seed);
	if (ledger.hash == GLOOM_XXH3)
		return XXH3_64bits_withSeed(key, len, ledger.seed);
	memcpy(&hash, key, sizeof(hash));
	return hash;
}

/* What the operation shall say; it is counted too. */
static bool ledger_do(enum gloom_op op, const void *key, size_t len)
{
	uint64_t hash = key_hash(key, len);
	uint8_t *block = ledger.blocks[reference_index(hash,
						       ledger.nr_blocks)];
	bool result;

	if (op == GLOOM_TEST) {
		result = reference_test(block, ledger.k, hash);
		ledger.tests++;
		ledger.positives += result;
	} else {
		result = reference_add(block, ledger.k, hash);
		ledger.adds++;
		ledger.adds_new += result;
	}
	return result;
}

static void do_single(struct bytes *input, enum gloom_op op)
{
	static const unsigned int lens[] = { 0, 1, 8, 8, 16, 17, 240, 4097 };
	static uint8_t key[GLOOM_KEY_MAX + 1];
	uint8_t kind = take(input, 1);
	size_t len = lens[kind & 7], nr;
	const uint8_t *bytes;
	const void *at = kind & 0x80 ? NULL : key;
	int is, shall;

	memset(key, 0, sizeof(key));
	if (kind & 8)
		len = take(input, 2) % (GLOOM_KEY_MAX + 2);
	nr = take_some(input, &bytes, len < 16 ? len : 16);
	memcpy(key, bytes, nr);
	if (op == GLOOM_ADD)
		is = gloom_add(filter, at, len);
	else if (op == GLOOM_TEST)
		is = gloom_test(filter, at, len);
	else
		is = gloom_test_and_add(filter, at, len);
	shall = key_error(at, len);
	if (!shall)
		shall = ledger_do(op, at, len);
	FUZZ_EQ(is, shall);
}

/* The lengths of keys, mostly short, and the bytes that they need. */
static size_t take_lens(struct bytes *input, uint32_t *lens, size_t nr)
{
	static const uint32_t odd[] = {
		8, 4096, 4097, UINT32_MAX, 0, 300, 1, 64,
	};
	size_t sum = 0, i;

	for (i = 0; i < nr; i++) {
		uint8_t len = take(input, 1);

		lens[i] = len < 0xf8 ? len % 24 : odd[len & 7];
		if (lens[i] > GLOOM_KEY_MAX)
			continue;
		sum += lens[i];
	}
	return sum;
}

static void do_batch(struct bytes *input, int op)
{
	static uint32_t lens[MAX_KEYS];
	uint8_t results[MAX_KEYS / 8 + 1], kind = take(input, 1);
	struct gloom_keys keys = { .nr = take(input, 2) % (MAX_KEYS + 1) };
	uint64_t positives = 0, seen = 0;
	size_t size, i, at = 0;
	int error = 0;
	int64_t done;
	uint8_t *blob;

	if (kind & 1)
		keys.lens = lens;
	else
		keys.key_size = kind & 2 ? 8 : take(input, 2) % 4200;
	if (!keys.key_size)
		size = take_lens(input, lens, keys.nr);
	else
		size = keys.key_size > GLOOM_KEY_MAX ? 0 :
		       keys.nr * keys.key_size;

	/* As large as it must be and no larger, so that ASan sees overruns. */
	blob = malloc(size ? size : 1);
	FUZZ_CHECK(blob);
	memset(blob, 0, size);
	/* Key i of equal size has one byte of the input, often a former one. */
	for (i = 0; i < size; i += keys.key_size ? keys.key_size : 8)
		blob[i] = take(input, 1);
	keys.data = blob;
	memset(results, UNTOUCHED, sizeof(results));
	done = gloom_batch(filter, op, &keys, kind & 4 ? NULL : results,
			   kind & 8 ? NULL : &positives);

	if (op < GLOOM_TEST || op > GLOOM_TEST_AND_ADD)
		error = -EINVAL;
	else if (keys.nr && !keys.key_size && !keys.lens)
		error = -EINVAL;
	for (i = 0; !error && i < keys.nr; i++) {
		size_t len = keys.key_size ? keys.key_size : lens[i];
		bool result;

		error = key_error(blob, len);
		if (error)
			break;
		result = ledger_do(op, blob + at, len);
		seen += result;
		at += len;
		if (!(kind & 4))
			FUZZ_EQ(results[i / 8] >> i % 8 & 1, result);
	}
	free(blob);
	FUZZ_EQ(done, error && (!i || !keys.nr) ? error : (int64_t)i);
	if (done < 0)
		i = 0;
	else if (!(kind & 8))
		FUZZ_EQ(positives, seen);
	if (!(kind & 4)) {
		for (; i % 8; i++)
			FUZZ_CHECK(!(results[i / 8] >> i % 8 & 1));
		for (; i < 8 * sizeof(results); i += 8)
			FUZZ_EQ(results[i / 8], UNTOUCHED);
	}
}

static void check_info(void)
{
	struct gloom_filter_info info = { .size = sizeof(info) };
	uint64_t bits = 0;
	size_t i;

	for (i = 0; i < sizeof(ledger.blocks); i++)
		bits += __builtin_popcount(ledger.blocks[i / 64][i % 64]);
	FUZZ_EQ(gloom_info(filter, GLOOM_COUNT_BITS, &info), 0);
	FUZZ_EQ(info.nr_blocks, ledger.nr_blocks);
	FUZZ_EQ(info.k, ledger.k);
	FUZZ_EQ(info.hash, ledger.hash);
	FUZZ_EQ(info.seed, ledger.seed);
	FUZZ_EQ(info.bits_set, bits);
	FUZZ_EQ(info.adds, ledger.adds);
	FUZZ_EQ(info.adds_new, ledger.adds_new);
	FUZZ_EQ(info.tests, ledger.tests);
	FUZZ_EQ(info.positives, ledger.positives);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { data, data + size };
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	int error;

	memset(&ledger, 0, sizeof(ledger));
	options.flags = GLOOM_LOCAL | GLOOM_SEED;
	ledger.nr_blocks = take(&input, 1) % MAX_BLOCKS + 1;
	ledger.k = take(&input, 1) % 16 + 1;
	ledger.hash = take(&input, 1) % 3 + 1;
	ledger.seed = take(&input, 4);
	options.nr_blocks = ledger.nr_blocks;
	options.k = ledger.k;
	options.hash = ledger.hash;
	options.seed = ledger.seed;
	error = gloom_create(&filter, NULL, &options);
	FUZZ_EQ(error, 0);
	while (input.at < input.end) {
		uint8_t op = take(&input, 1);

		if (op < 0x60)
			do_single(&input, op % 3 + 1);
		else if (op < 0xf0)
			do_batch(&input, op % 3 + 1);
		else if (op < 0xf8)
			do_batch(&input, op % 8);
		else
			check_info();
	}
	check_info();
	gloom_close(filter);
	return 0;
}
