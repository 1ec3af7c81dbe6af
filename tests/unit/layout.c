// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI in numbers, which never change: compiled for 64 and for 32 bits.
 * Both public headers at once, as in programs that use both.
 */
#include <linux/gloom.h>
#include <gloom.h>

#define SIZE(type, size)						\
	_Static_assert(sizeof(struct type) == (size), "size of " #type)
#define AT(type, member, offset)					\
	_Static_assert(offsetof(struct type, member) == (offset),	\
		       #type "." #member)
#define IS(constant, number)						\
	_Static_assert((constant) == (number), #constant)

IS(GLOOM_IOC_QUERY, 0xbd00);
IS(GLOOM_IOC_CREATE, 0xbd01);
IS(GLOOM_IOC_OPEN, 0xbd02);
IS(GLOOM_IOC_UNLINK, 0xbd03);
IS(GLOOM_IOC_NEXT, 0xbd04);
IS(GLOOM_IOC_INFO, 0xbd20);
IS(GLOOM_IOC_ADD, 0xbd21);
IS(GLOOM_IOC_TEST, 0xbd22);
IS(GLOOM_IOC_BATCH, 0xbd23);

IS(GLOOM_NAME_SIZE, 64);
IS(GLOOM_KEY_MAX, 4096);
IS(GLOOM_K_MAX, 16);
IS(GLOOM_BLOCKS_MAX, 4294967296);
IS(GLOOM_BLOCK_SIZE, 64);
IS(GLOOM_HASH_XXH64, 1);
IS(GLOOM_HASH_XXH3, 2);
IS(GLOOM_HASH_PREHASHED, 3);
IS(GLOOM_LAYOUT_1, 1);
IS(GLOOM_CREATE_RANDOM_SEED, 1);
IS(GLOOM_CREATE_NODE, 2);
IS(GLOOM_OPEN_READ, 1);
IS(GLOOM_OPEN_WRITE, 2);
IS(GLOOM_INFO_BITS_SET, 1);
IS(GLOOM_INFO_SEED, 2);
IS(GLOOM_INFO_COUNTERS, 4);
IS(GLOOM_KEYS_HASHED, 1);
IS(GLOOM_OP_TEST, 1);
IS(GLOOM_OP_ADD, 2);
IS(GLOOM_OP_TEST_ADD, 3);

SIZE(gloom_query, 64);
AT(gloom_query, size, 0);
AT(gloom_query, flags, 4);
AT(gloom_query, abi, 8);
AT(gloom_query, key_max, 12);
AT(gloom_query, features, 16);
AT(gloom_query, hashes, 24);
AT(gloom_query, layouts, 28);
AT(gloom_query, max_filter_bytes, 32);
AT(gloom_query, max_total_bytes, 40);
AT(gloom_query, total_bytes, 48);
AT(gloom_query, max_filters, 56);
AT(gloom_query, nr_filters, 60);

SIZE(gloom_create, 128);
AT(gloom_create, size, 0);
AT(gloom_create, flags, 4);
AT(gloom_create, nr_blocks, 8);
AT(gloom_create, k, 16);
AT(gloom_create, hash, 20);
AT(gloom_create, layout, 24);
AT(gloom_create, mode, 28);
AT(gloom_create, seed, 32);
AT(gloom_create, capacity, 40);
AT(gloom_create, fpr, 48);
AT(gloom_create, node, 56);
AT(gloom_create, fd, 60);
AT(gloom_create, name, 64);

SIZE(gloom_open, 80);
AT(gloom_open, size, 0);
AT(gloom_open, flags, 4);
AT(gloom_open, reserved, 8);
AT(gloom_open, fd, 12);
AT(gloom_open, name, 16);

SIZE(gloom_unlink, 72);
AT(gloom_unlink, size, 0);
AT(gloom_unlink, flags, 4);
AT(gloom_unlink, name, 8);

SIZE(gloom_next, 96);
AT(gloom_next, size, 0);
AT(gloom_next, flags, 4);
AT(gloom_next, name, 8);
AT(gloom_next, bytes, 72);
AT(gloom_next, uid, 80);
AT(gloom_next, gid, 84);
AT(gloom_next, mode, 88);
AT(gloom_next, reserved, 92);

SIZE(gloom_info, 192);
AT(gloom_info, size, 0);
AT(gloom_info, flags, 4);
AT(gloom_info, valid, 8);
AT(gloom_info, k, 12);
AT(gloom_info, nr_blocks, 16);
AT(gloom_info, hash, 24);
AT(gloom_info, layout, 28);
AT(gloom_info, seed, 32);
AT(gloom_info, capacity, 40);
AT(gloom_info, fpr, 48);
AT(gloom_info, bytes, 56);
AT(gloom_info, generation, 64);
AT(gloom_info, id, 72);
AT(gloom_info, adds, 80);
AT(gloom_info, adds_new, 88);
AT(gloom_info, tests, 96);
AT(gloom_info, positives, 104);
AT(gloom_info, bits_set, 112);
AT(gloom_info, node, 120);
AT(gloom_info, reserved, 124);
AT(gloom_info, name, 128);

SIZE(gloom_key, 24);
AT(gloom_key, size, 0);
AT(gloom_key, flags, 4);
AT(gloom_key, key, 8);
AT(gloom_key, len, 16);
AT(gloom_key, result, 20);

SIZE(gloom_batch, 64);
AT(gloom_batch, size, 0);
AT(gloom_batch, flags, 4);
AT(gloom_batch, op, 8);
AT(gloom_batch, key_size, 12);
AT(gloom_batch, nr_keys, 16);
AT(gloom_batch, nr_done, 20);
AT(gloom_batch, nr_positive, 24);
AT(gloom_batch, reserved, 28);
AT(gloom_batch, keys, 32);
AT(gloom_batch, keys_size, 40);
AT(gloom_batch, lens, 48);
AT(gloom_batch, results, 56);

/* The library says the same with its own names. */
IS((int)GLOOM_XXH64, GLOOM_HASH_XXH64);
IS((int)GLOOM_XXH3, GLOOM_HASH_XXH3);
IS((int)GLOOM_PREHASHED, GLOOM_HASH_PREHASHED);
IS((int)GLOOM_TEST, GLOOM_OP_TEST);
IS((int)GLOOM_ADD, GLOOM_OP_ADD);
IS((int)GLOOM_TEST_AND_ADD, GLOOM_OP_TEST_ADD);
IS(GLOOM_READ, GLOOM_OPEN_READ);
IS(GLOOM_WRITE, GLOOM_OPEN_WRITE);

#ifdef __LP64__
SIZE(gloom_plan, 40);
SIZE(gloom_options, 64);
SIZE(gloom_entry, 88);
SIZE(gloom_keys, 32);
SIZE(gloom_filter_info, 192);
SIZE(gloom_limits, 48);
#endif
