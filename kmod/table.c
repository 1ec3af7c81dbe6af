// SPDX-License-Identifier: GPL-2.0
/* The memory of a filter. Knows nothing of files and users. */

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "gloom.h"

/*
 * Huge pages if they are to be had without much ado; for small ones it is worth
 * trying harder, on any node.
 */
static void *alloc_blocks(size_t bytes, int node)
{
	const gfp_t gfp = GLOOM_GFP | __GFP_ZERO;
	void *blocks;

	blocks = gloom_vmalloc_huge_node(bytes, (gfp & ~__GFP_RETRY_MAYFAIL) |
					 __GFP_NORETRY, node);
	if (!blocks && !fatal_signal_pending(current))
		blocks = __vmalloc(bytes, gfp);
	return blocks;
}

/*
 * gloom_table_create - allocate an empty table
 * @geo:	geometry, validated by the caller
 * @node:	NUMA node, or NUMA_NO_NODE
 *
 * Charges the quota. Returns -ENOSPC when that is exhausted, -ENOMEM when
 * memory is.
 */
struct gloom_table *gloom_table_create(const struct gloom_geometry *geo,
				       int node)
{
	struct gloom_table *table;
	size_t bytes;
	int err;

	/* Whole pages, so that no byte of another's is ever beside ours. */
	if (check_mul_overflow((size_t)geo->nr_blocks, (size_t)GLOOM_BLOCK_SIZE,
			       &bytes) ||
	    check_add_overflow(bytes, PAGE_SIZE - 1, &bytes))
		return ERR_PTR(-ENOSPC);
	bytes &= PAGE_MASK;

	err = gloom_quota_charge(bytes);
	if (err)
		return ERR_PTR(err);

	err = -ENOMEM;
	table = kmalloc(sizeof(*table), GLOOM_GFP);
	if (!table)
		goto err_quota;
	table->geo = *geo;
	table->bytes = bytes;
	table->node = node;
	table->blocks = alloc_blocks(bytes, node);
	if (!table->blocks)
		goto err_table;
	return table;

err_table:
	kfree(table);
err_quota:
	gloom_quota_uncharge(bytes);
	return ERR_PTR(err);
}

void gloom_table_destroy(struct gloom_table *table)
{
	size_t bytes = table->bytes;

	kvfree(table->blocks);
	kfree(table);
	gloom_quota_uncharge(bytes);
}

/*
 * gloom_table_count_bits - how many bits are set
 *
 * Exact if nobody adds meanwhile, else somewhere between before and after.
 * Returns -EINTR when a signal is pending.
 */
int gloom_table_count_bits(const struct gloom_table *table, u64 *bits)
{
	const u64 nr_blocks = table->geo.nr_blocks;
	u64 from, i, sum = 0;

	for (from = 0; from < nr_blocks; from += GLOOM_SCAN_BLOCKS) {
		u64 to = min_t(u64, nr_blocks, from + GLOOM_SCAN_BLOCKS);

		if (signal_pending(current))
			return -EINTR;
		for (i = from; i < to; i++) {
			const struct gloom_block *block = &table->blocks[i];
			unsigned int w;

			for (w = 0; w < ARRAY_SIZE(block->word); w++)
				sum += hweight_long(READ_ONCE(block->word[w]));
		}
		cond_resched();
	}
	*bits = sum;
	return 0;
}
