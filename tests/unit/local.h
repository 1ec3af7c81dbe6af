/* SPDX-License-Identifier: GPL-2.0 */
/* Local filters as most tests want them. */
#ifndef LOCAL_H
#define LOCAL_H

#include "gloom.h"
#include "tap.h"

/* With a known seed: what is a false positive is one in each run. */
static inline struct gloom_filter *local_create(uint64_t nr_blocks,
						unsigned int k,
						enum gloom_hash hash)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *filter = NULL;

	options.flags = GLOOM_LOCAL | GLOOM_SEED;
	options.nr_blocks = nr_blocks;
	options.k = k;
	options.hash = hash;
	options.seed = 0x600d5eed;
	CHECK_EQ(gloom_create(&filter, NULL, &options), 0);
	return filter;
}

/* Sized for n keys. */
static inline struct gloom_filter *local_sized(uint64_t n, double fpr,
					       enum gloom_hash hash)
{
	struct gloom_plan plan;

	CHECK_EQ(gloom_plan(&plan, n, fpr, 0), 0);
	return local_create(plan.nr_blocks, plan.k, hash);
}

/* Everything there is to know. */
static inline struct gloom_filter_info local_info(struct gloom_filter *filter)
{
	struct gloom_filter_info info = { .size = sizeof(info) };

	CHECK_EQ(gloom_info(filter, GLOOM_COUNT_BITS, &info), 0);
	return info;
}

#endif /* LOCAL_H */
