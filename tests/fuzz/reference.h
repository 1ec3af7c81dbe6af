/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where bits are, told slowly: shifted copies instead of a wide product, plain
 * remainders, bytes instead of words. Only the partition sizes are the core's;
 * the unit tests have them written down.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <gloom/partitions.h>

#include "fuzz.h"

#define REFERENCE_SIZE(arg, offset, size)	size,

static const unsigned int reference_sizes[17][16] = {
	{ 0 },
	{ GLOOM_PARTITIONS_1(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_2(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_3(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_4(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_5(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_6(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_7(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_8(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_9(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_10(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_11(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_12(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_13(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_14(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_15(REFERENCE_SIZE, 0) },
	{ GLOOM_PARTITIONS_16(REFERENCE_SIZE, 0) },
};

/* High half of a product. */
static inline uint64_t reference_index(uint64_t hash, uint64_t nr_blocks)
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

/* A filter's bits as bytes; how many of a key's bits are set. */
static inline unsigned int reference_count(const uint8_t *block,
					   unsigned int k, uint64_t hash)
{
	unsigned int offset = 0, nr = 0, i;

	for (i = 0; i < k; i++) {
		unsigned int bit = offset + (uint32_t)hash %
				   reference_sizes[k][i];

		nr += block[bit / 8] >> bit % 8 & 1;
		offset += reference_sizes[k][i];
	}
	return nr;
}

static inline bool reference_test(const uint8_t *block, unsigned int k,
				  uint64_t hash)
{
	return reference_count(block, k, hash) == k;
}

/* Returns whether the key was new. */
static inline bool reference_add(uint8_t *block, unsigned int k, uint64_t hash)
{
	bool new = !reference_test(block, k, hash);
	unsigned int offset = 0, i;

	for (i = 0; i < k; i++) {
		unsigned int bit = offset + (uint32_t)hash %
				   reference_sizes[k][i];

		block[bit / 8] |= 1 << bit % 8;
		offset += reference_sizes[k][i];
	}
	return new;
}

#endif /* REFERENCE_H */
