/* SPDX-License-Identifier: MIT */
/* Keys: whether they are good, their hashes, and lists of them. */
#ifndef HASH_H
#define HASH_H

#include "gloom.h"

#pragma GCC visibility push(hidden)

/* 0, or why this cannot be a key of a filter with that kind of hash. */
int gloom_key_check(enum gloom_hash kind, const void *key, size_t len);

/* The hash of a key that is good. */
uint64_t gloom_key_hash(enum gloom_hash kind, uint64_t seed, const void *key,
			size_t len);

/* How far a batch has come through its keys. */
struct gloom_cursor {
	struct gloom_keys rest;	/* not taken yet */
	int err;		/* why the next one cannot be taken, or 0 */
};

/*
 * Takes up to @want keys and gives their hashes. Fewer are taken only when that
 * were all, or when the next is bad, which sets @err.
 */
size_t gloom_take_hashes(struct gloom_cursor *cursor, enum gloom_hash kind,
			 uint64_t seed, uint64_t *hashes, size_t want);

/* The same for keys as they are: gives the number of their bytes. */
size_t gloom_take_keys(struct gloom_cursor *cursor, enum gloom_hash kind,
		       uint64_t *bytes, size_t want);

#pragma GCC visibility pop

#endif /* HASH_H */
