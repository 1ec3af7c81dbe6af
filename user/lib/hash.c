// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

/* Inlined, hashing keys of a constant size is a handful of instructions. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hash.h"

#define ALWAYS_INLINE	inline __attribute__((__always_inline__))

int gloom_key_check(enum gloom_hash kind, const void *key, size_t len)
{
	if (len > GLOOM_KEY_MAX)
		return -EMSGSIZE;
	if (kind == GLOOM_PREHASHED && len != sizeof(uint64_t))
		return -EINVAL;
	if (len && !key)
		return -EFAULT;
	return 0;
}

static ALWAYS_INLINE uint64_t hash_key(enum gloom_hash kind, uint64_t seed,
				       const void *key, size_t len)
{
	uint64_t hash;

	switch (kind) {
	case GLOOM_XXH64:
		return XXH64(key, len, seed);
	case GLOOM_XXH3:
		return XXH3_64bits_withSeed(key, len, seed);
	case GLOOM_PREHASHED:
		break;
	}
	memcpy(&hash, key, sizeof(hash));
	return hash;
}

uint64_t gloom_key_hash(enum gloom_hash kind, uint64_t seed, const void *key,
			size_t len)
{
	/* An empty key may have no address. */
	return hash_key(kind, seed, len ? key : "", len);
}

/* With constants for kind and size the hash function melts into the loop. */
static ALWAYS_INLINE void hash_run(enum gloom_hash kind, uint64_t seed,
				   const char *key, size_t size,
				   uint64_t *hashes, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		hashes[i] = hash_key(kind, seed, key + i * size, size);
}

static void hash_fixed(enum gloom_hash kind, uint64_t seed,
		       const struct gloom_keys *keys, uint64_t *hashes,
		       size_t nr)
{
	if (kind == GLOOM_XXH3 && keys->key_size == 8)
		hash_run(GLOOM_XXH3, seed, keys->data, 8, hashes, nr);
	else if (kind == GLOOM_XXH64 && keys->key_size == 8)
		hash_run(GLOOM_XXH64, seed, keys->data, 8, hashes, nr);
	else
		hash_run(kind, seed, keys->data, keys->key_size, hashes, nr);
}

static void advance(struct gloom_keys *keys, size_t nr, uint64_t bytes)
{
	if (bytes)
		keys->data = (const char *)keys->data + bytes;
	if (!keys->key_size)
		keys->lens += nr;
	keys->nr -= nr;
}

size_t gloom_take_keys(struct gloom_cursor *cursor, enum gloom_hash kind,
		       uint64_t *bytes, size_t want)
{
	struct gloom_keys *keys = &cursor->rest;
	size_t nr = 0;

	if (want > keys->nr)
		want = keys->nr;
	*bytes = 0;
	if (keys->key_size) {
		cursor->err = gloom_key_check(kind, keys->data, keys->key_size);
		if (!cursor->err) {
			nr = want;
			*bytes = (uint64_t)nr * keys->key_size;
		}
	} else {
		for (; nr < want; nr++) {
			cursor->err = gloom_key_check(kind, keys->data,
						      keys->lens[nr]);
			if (cursor->err)
				break;
			*bytes += keys->lens[nr];
		}
	}
	advance(keys, nr, *bytes);
	return nr;
}

size_t gloom_take_hashes(struct gloom_cursor *cursor, enum gloom_hash kind,
			 uint64_t seed, uint64_t *hashes, size_t want)
{
	const struct gloom_keys keys = cursor->rest;
	const char *key = keys.data;
	uint64_t bytes;
	size_t nr, i;

	nr = gloom_take_keys(cursor, kind, &bytes, want);
	if (keys.key_size) {
		hash_fixed(kind, seed, &keys, hashes, nr);
		return nr;
	}
	for (i = 0; i < nr; i++) {
		hashes[i] = gloom_key_hash(kind, seed, key, keys.lens[i]);
		if (keys.lens[i])
			key += keys.lens[i];
	}
	return nr;
}
