/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Macros that <gloom/core.h> is made of, apart from it because no style checker
 * can like them: what the compiler must see once per k, and the proof that the
 * partition sizes are what they should be.
 */
#ifndef GLOOM_MACROS_H
#define GLOOM_MACROS_H

#include "partitions.h"

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#else
#include <assert.h>	/* static_assert */
#include <stdbool.h>
#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif
#ifndef __aligned
#define __aligned(x)	__attribute__((__aligned__(x)))
#endif
#endif

/*
 * The proof that the sizes of each k are pairwise coprime and fit in a block:
 * no prime divides two of them, and their sum is at most 512. Here and not in
 * a test, so that no build can do without it.
 */
#define GLOOM_X_DIVIDES(p, offset, size)	+ ((size) % (p) == 0)
#define GLOOM_X_SUM(arg, offset, size)		+ (size)
#define GLOOM_X_PROOF(k, p)						\
	static_assert(0 GLOOM_PARTITIONS_##k(GLOOM_X_DIVIDES, p) <= 1,	\
		      "partition sizes share a factor");
#define GLOOM_PROVE(k)							\
	GLOOM_PRIMES(GLOOM_X_PROOF, k)					\
	static_assert(0 GLOOM_PARTITIONS_##k(GLOOM_X_SUM, 0) <= 512,	\
		      "partitions exceed a block")

GLOOM_PROVE(1);
GLOOM_PROVE(2);
GLOOM_PROVE(3);
GLOOM_PROVE(4);
GLOOM_PROVE(5);
GLOOM_PROVE(6);
GLOOM_PROVE(7);
GLOOM_PROVE(8);
GLOOM_PROVE(9);
GLOOM_PROVE(10);
GLOOM_PROVE(11);
GLOOM_PROVE(12);
GLOOM_PROVE(13);
GLOOM_PROVE(14);
GLOOM_PROVE(15);
GLOOM_PROVE(16);

/*
 * GLOOM_PARTITION_SIZES - initialiser of [GLOOM_K_MAX + 1][GLOOM_K_MAX]
 *
 * For models and tests; what probes uses the constants themselves.
 */
#define GLOOM_X_ITEM(arg, offset, size)	size,
#define GLOOM_SIZES_ITEM(k)	\
	[k] = { GLOOM_PARTITIONS_##k(GLOOM_X_ITEM, 0) }
#define GLOOM_PARTITION_SIZES {						\
	GLOOM_SIZES_ITEM(1), GLOOM_SIZES_ITEM(2), GLOOM_SIZES_ITEM(3),	\
	GLOOM_SIZES_ITEM(4), GLOOM_SIZES_ITEM(5), GLOOM_SIZES_ITEM(6),	\
	GLOOM_SIZES_ITEM(7), GLOOM_SIZES_ITEM(8), GLOOM_SIZES_ITEM(9),	\
	GLOOM_SIZES_ITEM(10), GLOOM_SIZES_ITEM(11), GLOOM_SIZES_ITEM(12), \
	GLOOM_SIZES_ITEM(13), GLOOM_SIZES_ITEM(14), GLOOM_SIZES_ITEM(15), \
	GLOOM_SIZES_ITEM(16)						\
}

/*
 * GLOOM_AND_BITS - AND of fn(block, bit) over the k bits of a key
 * @result:	lvalue for the result, which is 0 or 1 if all fn() are
 * @k:		1 to 16; if constant, only one case is left
 * @fn:		function of a block and a bit number
 * @block:	the key's block
 * @hash:	32 bits of the key's hash
 *
 * Every size is a constant in the text, so that remainders become
 * multiplications. All k calls are made, whatever the first ones return.
 */
#define GLOOM_X_AND(call, offset, size)	\
	& GLOOM_X_CALL(GLOOM_X_UNWRAP call, offset, size)
#define GLOOM_X_UNWRAP(fn, block, hash)	fn, block, hash
#define GLOOM_X_CALL(...)		GLOOM_X_CALL_(__VA_ARGS__)
#define GLOOM_X_CALL_(fn, block, hash, offset, size)	\
	fn(block, (offset) + (hash) % (size))
#define GLOOM_AND_CASE(result, k, call)	\
	case k: result = 1 GLOOM_PARTITIONS_##k(GLOOM_X_AND, call); break

#define GLOOM_AND_BITS(result, k, fn, block, hash)			\
	do { switch (k) {						\
	GLOOM_AND_CASE(result, 1, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 2, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 3, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 4, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 5, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 6, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 7, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 8, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 9, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 10, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 11, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 12, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 13, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 14, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 15, (fn, block, hash));			\
	GLOOM_AND_CASE(result, 16, (fn, block, hash));			\
	} } while (0)

/*
 * GLOOM_SPECIALIZE_K - call @fn with k as a constant last argument
 *
 * For loops over many keys: choose once, outside of the loop. @fn must be
 * __always_inline for the constant to reach the partitions.
 */
#define GLOOM_SPECIALIZE_K(k, fn, ...)					\
	do { switch (k) {						\
	case 1: fn(__VA_ARGS__, 1); break;				\
	case 2: fn(__VA_ARGS__, 2); break;				\
	case 3: fn(__VA_ARGS__, 3); break;				\
	case 4: fn(__VA_ARGS__, 4); break;				\
	case 5: fn(__VA_ARGS__, 5); break;				\
	case 6: fn(__VA_ARGS__, 6); break;				\
	case 7: fn(__VA_ARGS__, 7); break;				\
	case 8: fn(__VA_ARGS__, 8); break;				\
	case 9: fn(__VA_ARGS__, 9); break;				\
	case 10: fn(__VA_ARGS__, 10); break;				\
	case 11: fn(__VA_ARGS__, 11); break;				\
	case 12: fn(__VA_ARGS__, 12); break;				\
	case 13: fn(__VA_ARGS__, 13); break;				\
	case 14: fn(__VA_ARGS__, 14); break;				\
	case 15: fn(__VA_ARGS__, 15); break;				\
	case 16: fn(__VA_ARGS__, 16); break;				\
	} } while (0)

#endif /* GLOOM_MACROS_H */
