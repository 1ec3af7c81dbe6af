// SPDX-License-Identifier: GPL-2.0
/* False positives that are measured against those that gloom_fpr() promises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gloom/core.h>
#include <linux/gloom.h>

#include "gloom.h"
#include "tap.h"

#define NR_BLOCKS	(1 << 14)
#define NR_DRAWS	48	/* keys tested in each block */

/* Random keys in the blocks, from the hash on; the load is keys per block. */
static void fill(struct gloom_block *blocks, unsigned int k, double load,
		 uint64_t *state)
{
	uint64_t n = load * NR_BLOCKS;

	memset(blocks, 0, NR_BLOCKS * sizeof(*blocks));
	while (n--) {
		uint64_t hash = random_next(state);

		gloom_block_add(&blocks[gloom_block_index(hash, NR_BLOCKS)],
				gloom_block_hash(hash), k);
	}
}

/*
 * The rate with its standard error. The share of hits in a block varies with
 * what is in it and by the draw; the variance over blocks has both.
 */
static double measure(const struct gloom_block *blocks, unsigned int k,
		      double *error, uint64_t *state)
{
	double sum = 0, squares = 0, mean;
	unsigned int i, draw;

	for (i = 0; i < NR_BLOCKS; i++) {
		unsigned int hits = 0;

		for (draw = 0; draw < NR_DRAWS; draw++)
			hits += gloom_block_test(&blocks[i],
						 random_next(state), k);
		sum += hits;
		squares += (double)hits * hits;
	}
	mean = sum / NR_BLOCKS;
	*error = sqrt((squares / NR_BLOCKS - mean * mean) / NR_BLOCKS) /
		 NR_DRAWS;
	return mean / NR_DRAWS;
}

/* Keys per block at which the model gives that rate. */
static double load_for(unsigned int k, double fpr)
{
	double low = 0, high = 21000;
	int i;

	for (i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (gloom_fpr(NR_BLOCKS, k, middle * NR_BLOCKS) < fpr)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * 80 measurements, the same ones in each run. Were they others, chance would
 * put one of them 3 standard errors away in a fifth of all cases; but that
 * their squares sum to 120 happens in one of 400.
 */
static void measured_is_modelled(void)
{
	static const double rates[] = { 0.9, 0.3, 0.05, 0.01, 0.001 };
	struct gloom_block *blocks = aligned_alloc(64, NR_BLOCKS *
						   sizeof(*blocks));
	uint64_t state = 1;
	double squares = 0, far = 0;
	unsigned int k, i;

	CHECK(blocks);
	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < ARRAY_SIZE(rates); i++) {
			double load = load_for(k, rates[i]), error, z;

			fill(blocks, k, load, &state);
			z = measure(blocks, k, &error, &state);
			z = (z - gloom_fpr(NR_BLOCKS, k, load * NR_BLOCKS)) /
			    error;
			squares += z * z;
			far = fmax(far, fabs(z));
			if (fabs(z) > 3)
				printf("# k %u, load %.2f, rate %g: off by %+.2f standard errors\n",
				       k, load, rates[i], z);
		}
	}
	free(blocks);
	printf("# sum of squares %.1f of 80, furthest %.2f\n", squares, far);
	CHECK(far < 3);
	CHECK(squares < 120);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(measured_is_modelled),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
