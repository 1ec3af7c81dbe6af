// SPDX-License-Identifier: GPL-2.0
/*
 * Hashes against the bits of a table: the hot loop.
 *
 * One group of keys at a time: their blocks are prefetched, then probed without
 * a branch on what was found, so that the cache misses overlap. The loops exist
 * once per k with all partition sizes constant.
 */

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/prefetch.h>
#include <linux/spinlock.h>

#include "gloom.h"

/*
 * A stripe lock serialises test-and-adds of all keys of a block (and of other
 * blocks, of any filter, that share the lock). With no other test-and-add
 * between its look and its set, the first of several racing callers finds a
 * bit clear and all later ones find none.
 */
static struct {
	spinlock_t lock;	/* the blocks that hash to this stripe */
} ____cacheline_aligned_in_smp stripes[GLOOM_STRIPES];

/* The lock of the stripe that a block belongs to. */
static spinlock_t *stripe_lock(const struct gloom_block *block)
{
	return &stripes[hash_ptr(block, ilog2(GLOOM_STRIPES))].lock;
}

static __always_inline void group_test(u32 *result, struct gloom_block **blocks,
				       const u64 *hashes, unsigned int nr,
				       unsigned int k)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		*result |= (u32)gloom_block_test(blocks[i],
						 gloom_block_hash(hashes[i]),
						 k) << i;
}

static __always_inline void group_add(u32 *result, struct gloom_block **blocks,
				      const u64 *hashes, unsigned int nr,
				      unsigned int k)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		*result |= (u32)gloom_block_add(blocks[i],
						gloom_block_hash(hashes[i]),
						k) << i;
}

static __always_inline void
group_test_add(u32 *result, struct gloom_block **blocks, const u64 *hashes,
	       unsigned int nr, unsigned int k)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u32 hash = gloom_block_hash(hashes[i]);
		spinlock_t *lock = stripe_lock(blocks[i]);

		/* A key found present needs no lock: bits are never cleared. */
		if (gloom_block_test(blocks[i], hash, k))
			continue;
		spin_lock(lock);
		*result |= (u32)gloom_block_add(blocks[i], hash, k) << i;
		spin_unlock(lock);
	}
}

/*
 * gloom_probe - do one operation for a group of keys
 * @table:	the table
 * @op:		GLOOM_OP_*
 * @hashes:	64-bit hashes of the keys
 * @nr:		their number, 1 to GLOOM_GROUP_KEYS
 *
 * Returns the answers, key i's in bit i.
 */
u32 gloom_probe(struct gloom_table *table, u32 op, const u64 *hashes,
		unsigned int nr)
{
	struct gloom_block *blocks[GLOOM_GROUP_KEYS];
	const u64 nr_blocks = table->geo.nr_blocks;
	unsigned int i;
	u32 result = 0;

	for (i = 0; i < nr; i++) {
		blocks[i] = &table->blocks[gloom_block_index(hashes[i],
							     nr_blocks)];
		prefetch(blocks[i]);
	}

	if (op == GLOOM_OP_TEST) {
		smp_rmb();	/* (T) in gloom.h, pairs with (A) below */
		GLOOM_SPECIALIZE_K(table->geo.k, group_test, &result, blocks,
				   hashes, nr);
	} else {
		if (op == GLOOM_OP_ADD)
			GLOOM_SPECIALIZE_K(table->geo.k, group_add, &result,
					   blocks, hashes, nr);
		else
			GLOOM_SPECIALIZE_K(table->geo.k, group_test_add,
					   &result, blocks, hashes, nr);
		smp_mb();	/* (A) in gloom.h, pairs with (T) above */
	}
	return result;
}

void gloom_probe_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stripes); i++)
		spin_lock_init(&stripes[i].lock);
}
