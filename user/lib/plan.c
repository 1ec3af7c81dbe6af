// SPDX-License-Identifier: MIT
/*
 * How large a filter must be: the model that gloom.h describes, and the search
 * for the least size.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include <gloom/core.h>

#include "lib.h"

/*
 * Mean number of keys in a block above which a block is full but for less than
 * half the distance from 1 to the next number, whatever k:
 * 16 * exp(-LOAD_FULL / 512) < 2^-54.
 */
#define LOAD_FULL	21000.0

/*
 * Blocks with fewer keys than this many standard deviations below the mean are
 * less than exp(-50) of all, and are left out.
 */
#define LOAD_SPAN	10.0

/* Share of the rate at which the tail of the sum is left out. */
#define TAIL		(DBL_EPSILON / 256)

static const unsigned short partition_sizes[GLOOM_K_MAX + 1][GLOOM_K_MAX] =
	GLOOM_PARTITION_SIZES;

/*
 * The rate for a mean of @load keys per block.
 *
 * Two sums over the number j of keys in a block, of positive terms only and
 * thus exact to a few units in the last place: of P(j) * P(all k bits are set),
 * and of P(j) * P(not all are). Their ratio is the answer, and as both have
 * P(j) as a factor it need not be scaled: it begins with 1 and is stepped.
 */
static double rate(unsigned int k, double load)
{
	double keep[GLOOM_K_MAX];	/* P(one key leaves a bit clear) */
	double clear[GLOOM_K_MAX];	/* P(j keys do), in partition i */
	double weight = 1;		/* P(j), but for a factor */
	double hit = 0, miss = 0, j;
	unsigned int i;

	if (load >= LOAD_FULL)
		return 1;
	j = fmax(0, floor(load - LOAD_SPAN * sqrt(load)));
	for (i = 0; i < k; i++) {
		keep[i] = 1 - 1.0 / partition_sizes[k][i];
		clear[i] = exp(j * log1p(-1.0 / partition_sizes[k][i]));
	}

	do {
		double all = 1, not_all = 0;

		for (i = 0; i < k; i++) {
			not_all += all * clear[i];
			all *= 1 - clear[i];
			clear[i] *= keep[i];
		}
		hit += weight * all;
		miss += weight * not_all;
		j++;
		weight *= load / j;
		/* The weights to come fall faster than (load / (j + 1))^i. */
	} while (j + 1 <= load ||
		 weight * (j + 1) > TAIL * hit * (j + 1 - load));

	/* In this form it never falls when hit / miss rises. */
	return hit > 0 ? 1 / (1 + miss / hit) : 0;
}

double gloom_fpr(uint64_t nr_blocks, unsigned int k, double n)
{
	if (!nr_blocks || nr_blocks > GLOOM_BLOCKS_MAX ||
	    !k || k > GLOOM_K_MAX || !(n >= 0))
		return NAN;
	return rate(k, n / nr_blocks);
}

/*
 * The least number of blocks, or something not below @limit.
 *
 * The same blocks are tried in the same order for every n and fpr, so that the
 * answer cannot fall when n rises or fpr falls, not even by rounding errors.
 */
static uint64_t least_blocks(unsigned int k, uint64_t n, double fpr,
			     uint64_t limit)
{
	uint64_t low = 1, high = GLOOM_BLOCKS_MAX;

	if (gloom_fpr(high, k, n) > fpr)
		return limit;
	while (low < high && low < limit) {
		uint64_t middle = low + (high - low) / 2;

		if (gloom_fpr(middle, k, n) <= fpr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void fill_plan(struct gloom_plan *plan, uint64_t nr_blocks,
		      unsigned int k, uint64_t n)
{
	plan->nr_blocks = nr_blocks;
	plan->k = k;
	plan->bytes = nr_blocks * GLOOM_BLOCK_SIZE;
	plan->bits_per_key = n ? plan->bytes * 8.0 / n : 0;
	plan->fpr = gloom_fpr(nr_blocks, k, n);
}

int gloom_plan(struct gloom_plan *plan, uint64_t n, double fpr,
	       unsigned int max_k)
{
	uint64_t best = GLOOM_BLOCKS_MAX + 1;
	unsigned int best_k = 0, k;

	/* As it stands this refuses NaN too. */
	if (!(fpr > 0 && fpr < 1) || max_k > GLOOM_K_MAX)
		return -EINVAL;

	for (k = 1; k <= (max_k ? max_k : GLOOM_K_MAX); k++) {
		uint64_t nr_blocks = least_blocks(k, n, fpr, best);

		if (nr_blocks < best) {
			best = nr_blocks;
			best_k = k;
		}
	}
	if (!best_k)
		return -ERANGE;
	fill_plan(plan, best, best_k, n);
	return 0;
}

int gloom_plan_memory(struct gloom_plan *plan, uint64_t n, uint64_t bytes,
		      unsigned int max_k)
{
	uint64_t nr_blocks = bytes / GLOOM_BLOCK_SIZE;
	unsigned int best_k = 1, k;
	double best;

	if (max_k > GLOOM_K_MAX)
		return -EINVAL;
	if (!nr_blocks)
		return -ERANGE;
	if (nr_blocks > GLOOM_BLOCKS_MAX)
		nr_blocks = GLOOM_BLOCKS_MAX;

	best = gloom_fpr(nr_blocks, 1, n);
	for (k = 2; k <= (max_k ? max_k : GLOOM_K_MAX); k++) {
		double fpr = gloom_fpr(nr_blocks, k, n);

		if (fpr < best) {
			best = fpr;
			best_k = k;
		}
	}
	fill_plan(plan, nr_blocks, best_k, n);
	return 0;
}
