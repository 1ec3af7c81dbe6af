// SPDX-License-Identifier: GPL-2.0
/* Sizing: the model against a plain sum, and what the planner promises. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <gloom/core.h>
#include <linux/gloom.h>

#include "gloom.h"
#include "tap.h"

#define SIZE(arg, offset, size)	size,
#define SIZES(k)		{ GLOOM_PARTITIONS_##k(SIZE, 0) }

static const double sizes[][GLOOM_K_MAX] = {
	{ 0 }, SIZES(1), SIZES(2), SIZES(3), SIZES(4), SIZES(5), SIZES(6),
	SIZES(7), SIZES(8), SIZES(9), SIZES(10), SIZES(11), SIZES(12),
	SIZES(13), SIZES(14), SIZES(15), SIZES(16),
};

static const double rates[] = {
	1 - DBL_EPSILON / 2, 0.999999, 0.99, 0.9, 0.5, 0.3, 0.1, 0.05, 0.02,
	0.01, 0.005, 0.001, 1e-4, 1e-5, 1e-6, 1e-9, 1e-15, 1e-30, DBL_MIN,
	DBL_TRUE_MIN,
};

/* The definition in gloom.h, term by term and without regard to time. */
static double slow_fpr(unsigned int k, long double load)
{
	long double sum = 0;
	long double last = load + 40 * sqrtl(load) + 200;
	unsigned int j, i;

	for (j = 1; j < last; j++) {
		long double term = expl(j * logl(load) - load -
					lgammal(j + 1.0L));

		for (i = 0; i < k; i++)
			term *= -expm1l(j * log1pl(-1 / (long double)
						   sizes[k][i]));
		sum += term;
	}
	return sum;
}

static void model_is_the_sum(void)
{
	static const double loads[] = {
		1e-9, 1e-3, 0.1, 1, 3, 10, 20, 51.3819, 64, 100, 300, 2000,
	};
	unsigned int k;
	size_t i;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < ARRAY_SIZE(loads); i++) {
			double fpr = gloom_fpr(1000, k, loads[i] * 1000);
			double slow = slow_fpr(k, loads[i]);

			if (fabs(fpr / slow - 1) > 1e-10)
				printf("# k %u, load %g: %.17g, not %.17g\n", k,
				       loads[i], fpr, slow);
			CHECK(fabs(fpr / slow - 1) <= 1e-10);
		}
	}
}

static void model_has_no_bad_numbers(void)
{
	static const double keys[] = {
		0, DBL_TRUE_MIN, DBL_MIN, 1e-30, 1, 1e3, 1e6, 1e9, 1e12, 1e15,
		0x1p63, 0x1p64, 1e100, DBL_MAX, INFINITY,
	};
	static const uint64_t blocks[] = { 1, 2, 1000, GLOOM_BLOCKS_MAX };
	unsigned int k;
	size_t i, j;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < ARRAY_SIZE(blocks); i++) {
			double last = 0;

			CHECK(gloom_fpr(blocks[i], k, 0) == 0);
			CHECK(gloom_fpr(blocks[i], k, INFINITY) == 1);
			for (j = 0; j < ARRAY_SIZE(keys); j++) {
				double fpr = gloom_fpr(blocks[i], k, keys[j]);

				CHECK(fpr >= last && fpr <= 1);
				last = fpr;
			}
		}
	}
	CHECK(isnan(gloom_fpr(0, 1, 1)));
	CHECK(isnan(gloom_fpr(GLOOM_BLOCKS_MAX + 1, 1, 1)));
	CHECK(isnan(gloom_fpr(UINT64_MAX, 1, 1)));
	CHECK(isnan(gloom_fpr(1, 0, 1)));
	CHECK(isnan(gloom_fpr(1, GLOOM_K_MAX + 1, 1)));
	CHECK(isnan(gloom_fpr(1, 1, -1)));
	CHECK(isnan(gloom_fpr(1, 1, NAN)));
}

/* Across where the sum gives way to 1, and where it begins above 0. */
static void model_never_falls(void)
{
	unsigned int k;

	for (k = 1; k <= GLOOM_K_MAX; k += 3) {
		double last = 0, n;

		for (n = 1; n < 1e5; n += 1 + n * 0.01) {
			double fpr = gloom_fpr(1, k, n);
			double next = gloom_fpr(1, k, n + 1);

			CHECK(fpr >= last && next >= fpr);
			last = next > fpr ? fpr : next;
		}
		CHECK(last == 1);
	}
}

static void bad_arguments_are_refused(void)
{
	static const double bad[] = {
		NAN, -NAN, 0.0, -0.0, -DBL_TRUE_MIN, -0.01, -1, 1,
		1 + DBL_EPSILON, 2, 1e300, INFINITY, -INFINITY,
	};
	struct gloom_plan plan, poison;
	size_t i;

	memset(&poison, 0xa5, sizeof(poison));
	plan = poison;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK_EQ(gloom_plan(&plan, 1000, bad[i], 0), -EINVAL);
		CHECK_EQ(gloom_plan(&plan, 0, bad[i], 0), -EINVAL);
	}
	CHECK_EQ(gloom_plan(&plan, 1000, 0.01, GLOOM_K_MAX + 1), -EINVAL);
	CHECK_EQ(gloom_plan(&plan, 1000, 0.01, ~0U), -EINVAL);
	CHECK_EQ(gloom_plan_memory(&plan, 1000, 6400, GLOOM_K_MAX + 1),
		 -EINVAL);
	CHECK_EQ(gloom_plan_memory(&plan, 1000, 0, 0), -ERANGE);
	CHECK_EQ(gloom_plan_memory(&plan, 1000, 63, 0), -ERANGE);
	CHECK_EQ(gloom_plan(&plan, UINT64_MAX, 0.01, 0), -ERANGE);
	CHECK_EQ(gloom_plan(&plan, 1, DBL_TRUE_MIN, 0), -ERANGE);
	CHECK(!memcmp(&plan, &poison, sizeof(plan)));
}

/* What any plan must be; that a block less would not do, whatever k. */
static void check_plan(const struct gloom_plan *plan, uint64_t n, double fpr,
		       unsigned int max_k)
{
	const double bits_per_key = n ? plan->bytes * 8.0 / n : 0;
	unsigned int k;

	CHECK(plan->nr_blocks >= 1 && plan->nr_blocks <= GLOOM_BLOCKS_MAX);
	CHECK(plan->k >= 1 && plan->k <= max_k);
	CHECK_EQ(plan->bytes, plan->nr_blocks * 64);
	CHECK(plan->fpr >= 0 && plan->fpr <= fpr);
	CHECK(plan->fpr == gloom_fpr(plan->nr_blocks, plan->k, n));
	CHECK(plan->bits_per_key == bits_per_key);
	for (k = 1; k < plan->k; k++)
		CHECK(gloom_fpr(plan->nr_blocks, k, n) > fpr);
	if (plan->nr_blocks == 1)
		return;
	for (k = 1; k <= max_k; k++)
		CHECK(gloom_fpr(plan->nr_blocks - 1, k, n) > fpr);
}

static void plan_is_least_and_keeps_its_promise(void)
{
	static const uint64_t keys[] = {
		0, 1, 2, 3, 10, 100, 1000, 12345, 1000000, 99999999, 1ULL << 32,
		100000000000,
	};
	struct gloom_plan plan;
	unsigned int max_k;
	size_t i, j;
	int ret;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		for (j = 0; j < ARRAY_SIZE(rates); j++) {
			for (max_k = 1; max_k <= GLOOM_K_MAX; max_k += 5) {
				ret = gloom_plan(&plan, keys[i], rates[j],
						 max_k);
				if (ret != -ERANGE) {
					CHECK_EQ(ret, 0);
					check_plan(&plan, keys[i], rates[j],
						   max_k);
				}
			}
		}
	}
	CHECK_EQ(gloom_plan(&plan, 1000000, 0.01, 0), 0);
	check_plan(&plan, 1000000, 0.01, GLOOM_K_MAX);
}

static void one_percent_is_ten_bits(void)
{
	struct gloom_plan plan;

	CHECK_EQ(gloom_plan(&plan, 1000000, 0.01, 0), 0);
	CHECK(plan.bits_per_key <= 10.0);
	CHECK(plan.bits_per_key > 9.9);
	CHECK_EQ(plan.k, 6);
	CHECK_EQ(plan.nr_blocks, 19462);
}

static void few_keys_fit_in_a_block(void)
{
	struct gloom_plan plan;

	CHECK_EQ(gloom_plan(&plan, 0, 0.01, 0), 0);
	CHECK_EQ(plan.nr_blocks, 1);
	CHECK(plan.fpr == 0 && plan.bits_per_key == 0);
	CHECK_EQ(gloom_plan(&plan, 0, DBL_TRUE_MIN, 0), 0);
	CHECK_EQ(plan.nr_blocks, 1);
	CHECK_EQ(gloom_plan(&plan, 1, 0.01, 0), 0);
	CHECK_EQ(plan.nr_blocks, 1);
	CHECK_EQ(gloom_plan_memory(&plan, 0, 64, 0), 0);
	CHECK(plan.nr_blocks == 1 && plan.fpr == 0);
}

/* In bytes; that no filter will do is more than any. */
static uint64_t bytes_for(uint64_t n, double fpr, unsigned int max_k)
{
	struct gloom_plan plan;
	int ret = gloom_plan(&plan, n, fpr, max_k);

	CHECK(!ret || ret == -ERANGE);
	return ret ? UINT64_MAX : plan.bytes;
}

static void more_keys_never_take_less(void)
{
	unsigned int shift, i;
	uint64_t n, last;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		last = bytes_for(0, rates[i], 0);
		CHECK(bytes_for(1, rates[i], 0) >= last);
		last = bytes_for(1, rates[i], 0);
		for (shift = 2; shift < 64; shift++) {
			for (n = (1ULL << shift) - 1;
			     n <= (1ULL << shift) + 1; n++) {
				uint64_t bytes = bytes_for(n, rates[i], 0);

				CHECK(bytes >= last);
				last = bytes;
			}
		}
		CHECK(last == UINT64_MAX);
	}
}

static void lower_rates_never_take_less(void)
{
	static const uint64_t keys[] = { 1, 1000, 1000000, 100000000000 };
	uint64_t last, bytes;
	unsigned int i, step;
	double fpr;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		last = 0;
		for (fpr = 0.999; fpr > 1e-12; fpr *= 0.7) {
			double near = fpr;

			for (step = 0; step < 3; step++) {
				bytes = bytes_for(keys[i], near, 0);
				CHECK(bytes >= last);
				last = bytes;
				near = nextafter(near, 0);
			}
		}
	}
}

static void smaller_k_never_takes_less(void)
{
	uint64_t last = UINT64_MAX;
	unsigned int k;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		uint64_t bytes = bytes_for(1000000, 1e-9, k);

		CHECK(bytes <= last);
		last = bytes;
	}
	CHECK(bytes_for(1000000, 1e-9, 0) == last);
}

static void memory_is_used_best(void)
{
	static const uint64_t memory[] = {
		64, 65, 127, 128, 6400, 1 << 20, 1250000, 1ULL << 38,
	};
	struct gloom_plan plan, other;
	unsigned int k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(memory); i++) {
		CHECK_EQ(gloom_plan_memory(&plan, 1000000, memory[i], 0), 0);
		CHECK_EQ(plan.nr_blocks, memory[i] / 64);
		CHECK_EQ(plan.bytes, plan.nr_blocks * 64);
		CHECK(plan.fpr == gloom_fpr(plan.nr_blocks, plan.k, 1000000));
		for (k = 1; k <= GLOOM_K_MAX; k++)
			CHECK(gloom_fpr(plan.nr_blocks, k, 1000000) >=
			      plan.fpr);
		CHECK_EQ(gloom_plan_memory(&plan, 1000000, memory[i], 4), 0);
		CHECK(plan.k <= 4);
	}
	CHECK_EQ(gloom_plan_memory(&plan, 1000000, UINT64_MAX, 0), 0);
	CHECK_EQ(plan.nr_blocks, GLOOM_BLOCKS_MAX);

	/* The two planners are inverse to each other. */
	CHECK_EQ(gloom_plan(&plan, 1000000, 0.001, 0), 0);
	CHECK_EQ(gloom_plan_memory(&other, 1000000, plan.bytes, 0), 0);
	CHECK(other.fpr <= 0.001);
	CHECK_EQ(gloom_plan_memory(&other, 1000000, plan.bytes - 64, 0), 0);
	CHECK(other.fpr > 0.001);
}

/* A filter that is created has the size that was planned: 50 pairs. */
static void create_does_what_plan_says(void)
{
	static const uint64_t keys[] = {
		0, 1, 2, 10, 99, 1000, 4321, 65536, 100000, 650000,
	};
	static const double asked[] = { 0.5, 0.05, 0.01, 0.001, 1e-5 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		for (j = 0; j < ARRAY_SIZE(asked); j++) {
			struct gloom_options options = GLOOM_OPTIONS_INIT;
			struct gloom_filter_info info;
			struct gloom_filter *filter;
			struct gloom_plan plan;

			options.flags = GLOOM_LOCAL;
			options.capacity = keys[i];
			options.fpr = asked[j];
			options.max_k = j == 3 ? 4 : 0;
			CHECK_EQ(gloom_plan(&plan, keys[i], asked[j],
					    options.max_k), 0);
			CHECK_EQ(gloom_create(&filter, NULL, &options), 0);
			info.size = sizeof(info);
			CHECK_EQ(gloom_info(filter, 0, &info), 0);
			gloom_close(filter);
			CHECK_EQ(info.nr_blocks, plan.nr_blocks);
			CHECK_EQ(info.k, plan.k);
			CHECK_EQ(info.capacity, keys[i]);
			CHECK(info.fpr >= asked[j] - 0x1p-64 &&
			      info.fpr <= asked[j] + 0x1p-64);
		}
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(model_is_the_sum),
		TEST(model_has_no_bad_numbers),
		TEST(model_never_falls),
		TEST(bad_arguments_are_refused),
		TEST(plan_is_least_and_keeps_its_promise),
		TEST(one_percent_is_ten_bits),
		TEST(few_keys_fit_in_a_block),
		TEST(more_keys_never_take_less),
		TEST(lower_rates_never_take_less),
		TEST(smaller_k_never_takes_less),
		TEST(memory_is_used_best),
		TEST(create_does_what_plan_says),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
