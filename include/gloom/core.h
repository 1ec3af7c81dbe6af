/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where a key's bits are: the one truth for module, library and tests.
 *
 * A filter is an array of 512-bit blocks. The 64-bit hash of a key picks one
 * block by its high bits and, by its low 32 bits modulo k pairwise coprime
 * sizes, one bit in each of k partitions of that block.
 *
 * Nothing here calls the kernel or a C library. The two primitives that touch
 * memory are the kernel's in the kernel, the compiler's elsewhere.
 */
#ifndef GLOOM_CORE_H
#define GLOOM_CORE_H

#include <linux/types.h>

#include "macros.h"

#define GLOOM_BLOCK_BITS	512
#define GLOOM_LONG_BITS		(8 * (unsigned int)sizeof(unsigned long))

/*
 * Bit b of a block is bit b % 8 of byte b / 8, whatever the machine. Blocks are
 * accessed as words, so where words are big-endian a bit's number within its
 * word is swizzled.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define GLOOM_BIT_SWIZZLE	0U
#else
#define GLOOM_BIT_SWIZZLE	(GLOOM_LONG_BITS - 8)
#endif

/* A cache line. The kernel and the library allocate arrays of these. */
struct gloom_block {
	unsigned long word[64 / sizeof(unsigned long)];
} __aligned(64);

static_assert(sizeof(struct gloom_block) * 8 == GLOOM_BLOCK_BITS,
	      "a block is 512 bits");

/*
 * High 64 bits of hash * nr_blocks, for nr_blocks up to 2^32: every block as
 * likely as the others to within nr_blocks / 2^64.
 */
static __always_inline __u64 gloom_block_index(__u64 hash, __u64 nr_blocks)
{
#ifdef __SIZEOF_INT128__
	return ((__uint128_t)hash * nr_blocks) >> 64;
#else
	__u64 high = (hash >> 32) * nr_blocks;
	__u64 low = (hash & 0xffffffff) * nr_blocks;

	return (high + (low >> 32)) >> 32;
#endif
}

/* The 32 bits of the hash that choose the bits within the block. */
static __always_inline __u32 gloom_block_hash(__u64 hash)
{
	return (__u32)hash;
}

/* Value of a bit of a block, 0 or 1. No ordering. */
static __always_inline unsigned long
gloom_bit_get(const struct gloom_block *block, unsigned int bit)
{
	const unsigned long *word = &block->word[bit / GLOOM_LONG_BITS];
	unsigned int shift = (bit % GLOOM_LONG_BITS) ^ GLOOM_BIT_SWIZZLE;

#ifdef __KERNEL__
	return (READ_ONCE(*word) >> shift) & 1;
#else
	return (__atomic_load_n(word, __ATOMIC_RELAXED) >> shift) & 1;
#endif
}

/*
 * Set a bit of a block atomically; its former value, 0 or 1. A full barrier in
 * the kernel (test_and_set_bit() always is), and on both sides elsewhere.
 */
static __always_inline unsigned long
gloom_bit_set(struct gloom_block *block, unsigned int bit)
{
#ifdef __KERNEL__
	return test_and_set_bit(bit ^ GLOOM_BIT_SWIZZLE, block->word);
#else
	unsigned long *word = &block->word[bit / GLOOM_LONG_BITS];
	unsigned long mask = 1UL << ((bit % GLOOM_LONG_BITS) ^
				     GLOOM_BIT_SWIZZLE);

	return !!(__atomic_fetch_or(word, mask, __ATOMIC_SEQ_CST) & mask);
#endif
}

/*
 * gloom_block_test - are all bits of a key set?
 * @block:	the key's block
 * @hash:	gloom_block_hash() of the key's hash
 * @k:		1 to 16, best a constant
 *
 * Reads all k bits whatever the first ones say: no branch to mispredict.
 */
static __always_inline bool gloom_block_test(const struct gloom_block *block,
					     __u32 hash, unsigned int k)
{
	unsigned long all = 1;

	GLOOM_AND_BITS(all, k, gloom_bit_get, block, hash);
	return all;
}

/*
 * gloom_block_add - set all bits of a key
 * @block:	the key's block
 * @hash:	gloom_block_hash() of the key's hash
 * @k:		1 to 16, best a constant
 *
 * Returns whether the key was new, that is whether this very call set a bit.
 * That is said by the atomic operations, not by an earlier look: of several
 * callers racing to add a new key each bit is set by exactly one, so at least
 * one caller is told "new".
 *
 * A key that is there already costs a test and does not dirty the line.
 */
static __always_inline bool gloom_block_add(struct gloom_block *block,
					    __u32 hash, unsigned int k)
{
	unsigned long all = 1;

	if (gloom_block_test(block, hash, k))
		return false;
	GLOOM_AND_BITS(all, k, gloom_bit_set, block, hash);
	return !all;
}

#endif /* GLOOM_CORE_H */
