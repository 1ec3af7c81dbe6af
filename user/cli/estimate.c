// SPDX-License-Identifier: MIT
#include <math.h>

#include <gloom.h>
#include <gloom/macros.h>

#include "estimate.h"

#define K_MAX	16

/* Steps of the integral; the error falls with their number. */
#define STEPS	256

/* A rate so high that the next new key is not to be expected. */
#define FPR_FULL	0.9999

static const unsigned int partition_sizes[K_MAX + 1][K_MAX] =
	GLOOM_PARTITION_SIZES;

/* Bits that are set in a block, for so many keys per block on average. */
static double expected_bits(unsigned int k, double load)
{
	double bits = 0;
	unsigned int i;

	for (i = 0; i < k; i++)
		bits -= partition_sizes[k][i] *
			expm1(-load / partition_sizes[k][i]);
	return bits;
}

double estimate_from_bits(uint64_t nr_blocks, unsigned int k, uint64_t bits_set)
{
	double bits = (double)bits_set / nr_blocks;
	double low = 0, high = 1;

	if (bits >= expected_bits(k, INFINITY))
		return INFINITY;
	while (expected_bits(k, high) < bits)
		high *= 2;
	while ((high - low) * 1e9 > high) {
		double middle = (low + high) / 2;

		if (expected_bits(k, middle) < bits)
			low = middle;
		else
			high = middle;
	}
	return high * nr_blocks;
}

double estimate_from_adds(uint64_t nr_blocks, unsigned int k, uint64_t adds_new)
{
	double step = (double)adds_new / STEPS;
	double keys = 0;
	int i;

	for (i = 0; i < STEPS; i++) {
		double fpr = gloom_fpr(nr_blocks, k, keys);

		/* The rate of the middle of the step, well enough. */
		fpr = gloom_fpr(nr_blocks, k, keys + step / (1 - fpr) / 2);
		if (!(fpr < FPR_FULL))
			return INFINITY;
		keys += step / (1 - fpr);
	}
	return keys;
}
