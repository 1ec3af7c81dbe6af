// SPDX-License-Identifier: GPL-2.0
/*
 * Where the bits of a key are, against a slow reference that shares nothing
 * with the core: sizes written down here, plain remainders, bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <gloom/core.h>
#include <linux/gloom.h>

#include "core_narrow.h"
#include "tap.h"

/* Layout 1, forever: keys in filters that exist depend on it. */
static const unsigned int sizes[GLOOM_K_MAX + 1][GLOOM_K_MAX] = {
	{ 0 },
	{ 512 },
	{ 255, 257 },
	{ 169, 171, 172 },
	{ 125, 127, 129, 131 },
	{ 97, 101, 103, 105, 106 },
	{ 77, 81, 83, 85, 89, 97 },
	{ 67, 69, 71, 73, 76, 77, 79 },
	{ 53, 59, 61, 63, 65, 67, 71, 73 },
	{ 47, 49, 53, 55, 57, 59, 61, 64, 67 },
	{ 41, 43, 47, 49, 51, 52, 53, 55, 59, 61 },
	{ 31, 37, 41, 43, 46, 47, 49, 51, 53, 55, 59 },
	{ 25, 29, 31, 37, 41, 43, 46, 47, 49, 51, 53, 59 },
	{ 23, 25, 29, 31, 34, 37, 39, 41, 43, 47, 49, 53, 61 },
	{ 19, 23, 25, 26, 27, 29, 31, 37, 41, 43, 47, 49, 53, 61 },
	{ 13, 17, 19, 23, 29, 31, 32, 33, 35, 37, 41, 43, 47, 53, 59 },
	{ 11, 13, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 49, 53, 61 },
};

static const uint64_t block_numbers[] = {
	1, 2, 3, 5, 64, 1000, 19462, 0xffff, 0x10000, 0x10001, 1ULL << 26,
	3ULL << 29, (1ULL << 31) - 1, 1ULL << 31, 3ULL << 30, 0xfffffffe,
	0xffffffff, GLOOM_BLOCKS_MAX,
};

/* High half of a product, by adding up shifted copies. */
static uint64_t slow_index(uint64_t hash, uint64_t nr_blocks)
{
	uint64_t high = 0, low = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		high = high << 1 | low >> 63;
		low <<= 1;
		if (hash >> bit & 1) {
			low += nr_blocks;
			high += low < nr_blocks;
		}
	}
	return high;
}

static unsigned int slow_bit(unsigned int k, unsigned int i, uint64_t hash)
{
	unsigned int offset = 0, j;

	for (j = 0; j < i; j++)
		offset += sizes[k][j];
	return offset + (hash & 0xffffffff) % sizes[k][i];
}

/* The 64 bytes that a single key makes of an empty block. */
static void slow_block(uint8_t bytes[64], unsigned int k, uint64_t hash)
{
	unsigned int i;

	memset(bytes, 0, 64);
	for (i = 0; i < k; i++) {
		unsigned int bit = slow_bit(k, i, hash);

		bytes[bit / 8] |= 1 << bit % 8;
	}
}

static unsigned int gcd(unsigned int a, unsigned int b)
{
	return b ? gcd(b, a % b) : a;
}

static void partitions_are_coprime_and_fit(void)
{
	unsigned int k, i, j;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		unsigned int sum = 0;

		for (i = 0; i < k; i++) {
			CHECK(sizes[k][i] > 1);
			sum += sizes[k][i];
			for (j = 0; j < i; j++)
				CHECK_EQ(gcd(sizes[k][i], sizes[k][j]), 1);
		}
		CHECK(sum <= 512);
	}
}

static void block_index_is_exact(void)
{
	static const uint64_t hashes[] = {
		0, 1, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xfffffffeffffffff, 0xffffffff00000000,
		0xfffffffffffffffe, 0xffffffffffffffff,
	};
	uint64_t state = 1, nr, hash;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(block_numbers); i++) {
		nr = block_numbers[i];
		CHECK_EQ(gloom_block_index(0, nr), 0);
		CHECK_EQ(gloom_block_index(~0ULL, nr), nr - 1);
		for (j = 0; j < ARRAY_SIZE(hashes) + 20000; j++) {
			hash = j < ARRAY_SIZE(hashes) ? hashes[j] :
							random_next(&state);
			CHECK_EQ(gloom_block_index(hash, nr),
				 slow_index(hash, nr));
			CHECK_EQ(block_index_narrow(hash, nr),
				 slow_index(hash, nr));
		}
	}
}

/*
 * Sixteenths of the range, and remainders by small numbers, are as likely as
 * each other: an index made of too few bits, or by a remainder of 2^32, is not
 * even. With 2^18 expected in each, 2 % is ten standard deviations.
 */
static void block_index_is_uniform(void)
{
	static const unsigned int remainders[] = { 3, 16 };
	const unsigned int nr_slices = 16, expected = 1 << 18;
	uint64_t state = 2;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(block_numbers); i++) {
		const uint64_t nr = block_numbers[i];
		unsigned int slices[16] = { 0 }, rests[2][16] = { 0 };
		unsigned int slice, draw;

		if (nr < 1 << 16)
			continue;
		for (draw = 0; draw < nr_slices * expected; draw++) {
			uint64_t hash = random_next(&state);
			uint64_t index = gloom_block_index(hash, nr);

			slices[index * nr_slices / nr]++;
			for (j = 0; j < 2; j++)
				rests[j][index % remainders[j]]++;
		}
		for (slice = 0; slice < nr_slices; slice++)
			CHECK(abs((int)(slices[slice] - expected)) <
			      (int)expected / 50);
		for (j = 0; j < 2; j++) {
			const int share = nr_slices * expected / remainders[j];

			for (slice = 0; slice < remainders[j]; slice++)
				CHECK(abs((int)rests[j][slice] - share) <
				      share / 50);
		}
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* As many different blocks are hit as chance allows, also of very many. */
static void block_index_hits_distinct_blocks(void)
{
	const unsigned int nr_draws = 1 << 20;
	uint64_t *indices = malloc(nr_draws * sizeof(*indices));
	uint64_t state = 3;
	unsigned int shift, i;

	CHECK(indices);
	for (shift = 26; shift <= 32; shift++) {
		const double expected = (double)nr_draws * nr_draws / 2 /
					(double)(1ULL << shift);
		unsigned int same = 0;

		for (i = 0; i < nr_draws; i++)
			indices[i] = gloom_block_index(random_next(&state),
						       1ULL << shift);
		qsort(indices, nr_draws, sizeof(*indices), compare);
		for (i = 1; i < nr_draws; i++)
			same += indices[i] == indices[i - 1];
		/* The standard deviation is 11 of 128 at the least. */
		if (same < 0.7 * expected || same > 1.5 * expected) {
			free(indices);
			CHECK_EQ(same, expected);
		}
	}
	free(indices);
}

static void bits_are_in_byte_order(void)
{
	struct gloom_block block;
	unsigned int bit, i;
	uint8_t bytes[64];

	for (bit = 0; bit < 512; bit++) {
		memset(&block, 0, sizeof(block));
		CHECK_EQ(gloom_bit_set(&block, bit), 0);
		memset(bytes, 0, sizeof(bytes));
		bytes[bit / 8] = 1 << bit % 8;
		CHECK(!memcmp(&block, bytes, sizeof(bytes)));
		for (i = 0; i < 512; i++)
			CHECK_EQ(gloom_bit_get(&block, i), i == bit);
		CHECK_EQ(gloom_bit_set(&block, bit), 1);
		CHECK(!memcmp(&block, bytes, sizeof(bytes)));
	}
}

static void add_sets_the_bits_of_the_reference(void)
{
	struct gloom_block block;
	uint8_t bytes[64];
	uint64_t state = 4;
	unsigned int k, i, j;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < 20000; i++) {
			uint64_t hash = random_next(&state);
			unsigned int set = 0;

			if (i < 3)
				hash = i == 0 ? 0 : i == 1 ? ~0ULL :
				       0xffffffff00000000;
			slow_block(bytes, k, hash);
			memset(&block, 0, sizeof(block));
			CHECK(!gloom_block_test(&block, (uint32_t)hash, k));
			CHECK(gloom_block_add(&block, gloom_block_hash(hash),
					      k));
			CHECK(!memcmp(&block, bytes, sizeof(bytes)));
			for (j = 0; j < 64; j++)
				set += __builtin_popcount(bytes[j]);
			CHECK_EQ(set, k);
		}
	}
}

/* A key is found exactly when all its bits are set, each of them counts. */
static void test_needs_every_bit(void)
{
	struct gloom_block block, full;
	uint64_t state = 5;
	unsigned int k, i, j;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < 200; i++) {
			uint32_t hash = random_next(&state);

			memset(&full, 0xff, sizeof(full));
			CHECK(gloom_block_test(&full, hash, k));
			CHECK(!gloom_block_add(&full, hash, k));
			for (j = 0; j < k; j++) {
				unsigned int bit = slow_bit(k, j, hash);

				block = full;
				((uint8_t *)&block)[bit / 8] ^= 1 << bit % 8;
				CHECK(!gloom_block_test(&block, hash, k));
				CHECK(gloom_block_add(&block, hash, k));
				CHECK(!memcmp(&block, &full, sizeof(full)));
				CHECK(!gloom_block_add(&block, hash, k));
			}
		}
	}
}

static __always_inline void add_to(struct gloom_block *block, uint32_t hash,
				   unsigned int k)
{
	gloom_block_add(block, hash, k);
}

static void constant_k_is_the_same(void)
{
	uint64_t state = 6;
	uint8_t bytes[64];
	unsigned int k, i;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < 1000; i++) {
			struct gloom_block block = { { 0 } };
			uint32_t hash = random_next(&state);

			GLOOM_SPECIALIZE_K(k, add_to, &block, hash);
			slow_block(bytes, k, hash);
			CHECK(!memcmp(&block, bytes, sizeof(bytes)));
		}
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(partitions_are_coprime_and_fit),
		TEST(block_index_is_exact),
		TEST(block_index_is_uniform),
		TEST(block_index_hits_distinct_blocks),
		TEST(bits_are_in_byte_order),
		TEST(add_sets_the_bits_of_the_reference),
		TEST(test_needs_every_bit),
		TEST(constant_k_is_the_same),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
