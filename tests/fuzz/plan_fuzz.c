// SPDX-License-Identifier: GPL-2.0
/*
 * The planner and the estimates: what they promise of each other, never NaN,
 * never past their bounds.
 */
#include <errno.h>
#include <math.h>

#include <gloom.h>

#include "../../user/cli/estimate.h"
#include "reference.h"

/* Mostly of any magnitude, sometimes any bits. */
static uint64_t take_count(struct bytes *input)
{
	uint8_t shift = take(input, 1);
	uint64_t value = take(input, 8);

	return shift < 64 ? value >> shift : value;
}

static double take_rate(struct bytes *input)
{
	static const double rates[] = {
		0.01, 1e-18, 5e-324, 1, 0, -0.0, -1, NAN, INFINITY, 0x1p-64,
		1 - 0x1p-53,
	};
	uint8_t kind = take(input, 1);
	uint64_t bits = take(input, 8);
	double rate;

	if (kind < sizeof(rates) / sizeof(*rates))
		return rates[kind];
	if (kind < 0xc0)
		return ldexp((bits >> 11) + 0.5, -53 - kind % 70);
	memcpy(&rate, &bits, sizeof(rate));
	return rate;
}

static void check_plan(const struct gloom_plan *plan, uint64_t n,
		       unsigned int max_k)
{
	FUZZ_CHECK(plan->nr_blocks >= 1 && plan->nr_blocks <= GLOOM_BLOCKS_MAX);
	FUZZ_CHECK(plan->k >= 1 && plan->k <= (max_k ? max_k : 16));
	FUZZ_CHECK(plan->bytes == plan->nr_blocks * 64);
	FUZZ_CHECK(isfinite(plan->bits_per_key) && plan->bits_per_key >= 0);
	FUZZ_CHECK(plan->fpr >= 0 && plan->fpr <= 1);
	FUZZ_CHECK(plan->fpr == gloom_fpr(plan->nr_blocks, plan->k, n));
}

/* Less can never be had, and a harder task never costs less. */
static void check_least(uint64_t n, double fpr, unsigned int max_k)
{
	struct gloom_plan plan, other;
	unsigned int k;
	int error = gloom_plan(&plan, n, fpr, max_k);

	if (!(fpr > 0 && fpr < 1) || max_k > 16) {
		FUZZ_EQ(error, -EINVAL);
		return;
	}
	if (error) {
		FUZZ_EQ(error, -ERANGE);
		for (k = 1; k <= (max_k ? max_k : 16); k++)
			FUZZ_CHECK(gloom_fpr(GLOOM_BLOCKS_MAX, k, n) > fpr);
		return;
	}
	check_plan(&plan, n, max_k);
	FUZZ_CHECK(plan.fpr <= fpr);
	for (k = 1; k <= (max_k ? max_k : 16) && plan.nr_blocks > 1; k++)
		FUZZ_CHECK(gloom_fpr(plan.nr_blocks - 1, k, n) > fpr);

	if (n && !gloom_plan(&other, n - n / 3, fpr, max_k))
		FUZZ_CHECK(other.nr_blocks <= plan.nr_blocks);
	if (!gloom_plan(&other, n, fpr / 2 + 0.5, max_k))
		FUZZ_CHECK(other.nr_blocks <= plan.nr_blocks);
	if (max_k && !gloom_plan(&other, n, fpr, 0))
		FUZZ_CHECK(other.nr_blocks <= plan.nr_blocks);
	FUZZ_EQ(gloom_plan_memory(&other, n, plan.bytes, max_k), 0);
	FUZZ_CHECK(other.fpr <= plan.fpr);
}

static void check_best(uint64_t n, uint64_t bytes, unsigned int max_k)
{
	struct gloom_plan plan, other;
	unsigned int k;
	int error = gloom_plan_memory(&plan, n, bytes, max_k);

	if (max_k > 16) {
		FUZZ_EQ(error, -EINVAL);
		return;
	}
	FUZZ_EQ(error, bytes < 64 ? -ERANGE : 0);
	if (error)
		return;
	check_plan(&plan, n, max_k);
	FUZZ_CHECK(plan.bytes <= bytes);
	for (k = 1; k <= (max_k ? max_k : 16); k++)
		FUZZ_CHECK(plan.fpr <= gloom_fpr(plan.nr_blocks, k, n));
	if (bytes < UINT64_MAX / 2) {
		FUZZ_EQ(gloom_plan_memory(&other, n, 2 * bytes, max_k), 0);
		FUZZ_CHECK(other.fpr <= plan.fpr);
	}
}

/* The model that gloom.h describes, as it is written there. */
static long double slow_rate(unsigned int k, long double load)
{
	long double sum = 0, j;
	unsigned int i;

	for (j = 0; j < load + 20 * sqrtl(load) + 60; j++) {
		long double part = expl(j * logl(load) - load - lgammal(j + 1));

		for (i = 0; i < k; i++)
			part *= -expm1l(j * log1pl(-1.0L /
						   reference_sizes[k][i]));
		sum += part;
	}
	return sum;
}

static void check_rate(uint64_t nr_blocks, unsigned int k, double n)
{
	double fpr = gloom_fpr(nr_blocks, k, n);

	if (!nr_blocks || nr_blocks > GLOOM_BLOCKS_MAX || !k || k > 16 ||
	    !(n >= 0)) {
		FUZZ_CHECK(isnan(fpr));
		return;
	}
	FUZZ_CHECK(fpr >= 0 && fpr <= 1);
	FUZZ_CHECK(n > 0 || fpr == 0);
	FUZZ_CHECK(gloom_fpr(nr_blocks, k, n * 1.25) >= fpr);
	if (n > 0 && n / nr_blocks < 300) {
		long double slow = slow_rate(k, (long double)n / nr_blocks);

		FUZZ_CHECK(fabsl(fpr - slow) <= 1e-9L * slow + 1e-290L);
	}
}

static void check_estimates(uint64_t nr_blocks, unsigned int k, uint64_t number)
{
	double keys;

	nr_blocks = nr_blocks % GLOOM_BLOCKS_MAX + 1;
	k = k % 16 + 1;
	keys = estimate_from_bits(nr_blocks, k, number % (nr_blocks * 512 + 1));
	FUZZ_CHECK(keys >= 0);
	keys = estimate_from_adds(nr_blocks, k, number);
	/* What was new was a key; others may have been hidden. */
	FUZZ_CHECK(keys >= number * (1 - 1e-9));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { data, data + size };

	while (input.at < input.end) {
		uint8_t kind = take(&input, 1);
		unsigned int k = kind / 4 % 18;
		uint64_t n = take_count(&input);

		if (kind % 4 == 0)
			check_least(n, take_rate(&input), k);
		else if (kind % 4 == 1)
			check_best(n, take_count(&input), k);
		else if (kind % 4 == 2)
			check_rate(n, k, take_count(&input) *
				   ldexp(1, (int8_t)take(&input, 1)));
		else
			check_estimates(n, k, take_count(&input));
	}
	return 0;
}
