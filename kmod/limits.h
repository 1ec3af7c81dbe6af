/* SPDX-License-Identifier: GPL-2.0 */
/* Every bound the module has that is not part of its ABI, with the reason. */
#ifndef GLOOM_LIMITS_H
#define GLOOM_LIMITS_H

#include <linux/sizes.h>
#include <uapi/linux/gloom.h>

/*
 * Shares of the machine's memory that block memory may take unless module
 * parameters say otherwise: filters are for long, and what they take is gone
 * for everybody else.
 */
#define GLOOM_FILTER_SHARE	4	/* one filter: a quarter */
#define GLOOM_TOTAL_SHARE	2	/* all filters: half */

/*
 * Filters at once. Bounds what remains outside of the byte limits: an inode,
 * counters for each CPU, a name.
 */
#define GLOOM_FILTERS_DEFAULT	65536

/*
 * Keys a batch works on between two looks at signals and the scheduler, and
 * bytes of keys it copies in at a time. With both a batch needs two pages;
 * larger windows save nothing that can be measured.
 */
#define GLOOM_WINDOW_KEYS	256
#define GLOOM_WINDOW_BYTES	SZ_4K

/*
 * Keys hashed and prefetched before the first of them is probed: enough to
 * have as many cache misses under way as a core can, few enough that their
 * lines are still in the first level cache when probed.
 */
#define GLOOM_GROUP_KEYS	32

/* Single keys up to this long are copied to the stack, longer ones allocate. */
#define GLOOM_KEY_ON_STACK	256

/* Locks that test-and-add spreads blocks over; a power of two. */
#define GLOOM_STRIPES		256

/* Blocks between two looks at signals and the scheduler: 1 MiB. */
#define GLOOM_SCAN_BLOCKS	(SZ_1M / GLOOM_BLOCK_SIZE)

#endif /* GLOOM_LIMITS_H */
