// SPDX-License-Identifier: GPL-2.0
/*
 * The hashes of keys: values from other implementations, and, where it can be
 * linked, libxxhash for every length class at every alignment.
 */
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "hash.h"
#include "tap.h"

static const struct {
	const char *key;
	size_t len;
	uint64_t xxh64, xxh3;	/* with seed 0; 0 if not known */
} known[] = {
	{ "", 0, 0xef46db3751d8e999, 0x2d06800538d394c2 },
	{ "a", 1, 0xd24ec4f1a98c6e5b, 0 },
	{ "abc", 3, 0x44bc2cf5ad770999, 0 },
	{ "\x01", 1, 0, 0xe12ef9d2eb86ceeb },
	{ "\x02\x85", 2, 0, 0x71470e6b39ce0012 },
	{ "\x11\x94\x17\x9a\x1d\xa0\x23\xa6\x29\xac\x2f\xb2\x35\xb8\x3b\xbe\x41",
	  17, 0, 0x7d33163b8af0179c },
};

static void values_are_known(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		uint64_t xxh64 = gloom_key_hash(GLOOM_XXH64, 0, known[i].key,
						known[i].len);
		uint64_t xxh3 = gloom_key_hash(GLOOM_XXH3, 0, known[i].key,
					       known[i].len);

		if (known[i].xxh64)
			CHECK_EQ(xxh64, known[i].xxh64);
		if (known[i].xxh3)
			CHECK_EQ(xxh3, known[i].xxh3);
	}
}

static void empty_key_needs_no_address(void)
{
	CHECK_EQ(gloom_key_hash(GLOOM_XXH64, 7, NULL, 0),
		 gloom_key_hash(GLOOM_XXH64, 7, "x", 0));
	CHECK_EQ(gloom_key_hash(GLOOM_XXH3, 7, NULL, 0),
		 gloom_key_hash(GLOOM_XXH3, 7, "x", 0));
}

static void prehashed_is_the_key_itself(void)
{
	const uint64_t hash = 0x0123456789abcdef;
	char bytes[9];

	memcpy(bytes + 1, &hash, sizeof(hash));
	CHECK_EQ(gloom_key_hash(GLOOM_PREHASHED, 99, bytes + 1, 8), hash);
}

static void bad_keys_are_refused(void)
{
	static const enum gloom_hash kinds[] = {
		GLOOM_XXH64, GLOOM_XXH3, GLOOM_PREHASHED,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		CHECK_EQ(gloom_key_check(kinds[i], "", GLOOM_KEY_MAX + 1),
			 -EMSGSIZE);
		CHECK_EQ(gloom_key_check(kinds[i], "", SIZE_MAX), -EMSGSIZE);
		CHECK_EQ(gloom_key_check(kinds[i], NULL, 8), -EFAULT);
		CHECK_EQ(gloom_key_check(kinds[i], "12345678", 8), 0);
	}
	for (i = 0; i <= GLOOM_KEY_MAX; i++) {
		CHECK_EQ(gloom_key_check(GLOOM_XXH64, "", i), 0);
		CHECK_EQ(gloom_key_check(GLOOM_XXH3, "", i), 0);
		CHECK_EQ(gloom_key_check(GLOOM_PREHASHED, "", i),
			 i == 8 ? 0 : -EINVAL);
	}
	CHECK_EQ(gloom_key_check(GLOOM_XXH3, NULL, 0), 0);
}

#ifdef HAVE_LIBXXHASH
static void libxxhash_agrees(void)
{
	static const uint64_t seeds[] = { 0, 0x9e3779b97f4a7c15 };
	static char buffer[GLOOM_KEY_MAX + 8];
	uint64_t state = 1;
	size_t len, align, i;

	for (i = 0; i < sizeof(buffer); i++)
		buffer[i] = random_next(&state);
	for (len = 0; len <= GLOOM_KEY_MAX; len += len < 1030 ? 1 : 511) {
		for (align = 0; align < 8; align++) {
			const char *key = buffer + align;

			for (i = 0; i < ARRAY_SIZE(seeds); i++) {
				CHECK_EQ(gloom_key_hash(GLOOM_XXH64, seeds[i],
							key, len),
					 XXH64(key, len, seeds[i]));
				CHECK_EQ(gloom_key_hash(GLOOM_XXH3, seeds[i],
							key, len),
					 XXH3_64bits_withSeed(key, len,
							      seeds[i]));
			}
		}
	}
}
#endif

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(values_are_known),
		TEST(empty_key_needs_no_address),
		TEST(prehashed_is_the_key_itself),
		TEST(bad_keys_are_refused),
#ifdef HAVE_LIBXXHASH
		TEST(libxxhash_agrees),
#endif
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
