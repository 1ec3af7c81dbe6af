// SPDX-License-Identifier: GPL-2.0
/*
 * A batch with a key in it that cannot be taken: all before it is done, with
 * answers, nothing behind; if it is the first the call fails and did nothing.
 */

#include "gloom_test.h"

enum { NR = 1100 };	/* more than two of any window */

/* Where the bad key is. */
static const __u32 places[] = { 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 511,
				512, 513, 1000, 1024, NR - 1 };

FIXTURE(prefix)
{
	int dev;
	int fd;
	__u64 keys[NR];
	__u32 lens[NR];
	__u8 results[NR / 8 + 2];
};

FIXTURE_VARIANT(prefix)
{
	__u32 op;
};

FIXTURE_VARIANT_ADD(prefix, test) {
	.op = GLOOM_OP_TEST,
};

FIXTURE_VARIANT_ADD(prefix, add) {
	.op = GLOOM_OP_ADD,
};

FIXTURE_VARIANT_ADD(prefix, test_add) {
	.op = GLOOM_OP_TEST_ADD,
};

FIXTURE_SETUP(prefix)
{
	int i;

	self->dev = open_device();
	for (i = 0; i < NR; i++) {
		self->keys[i] = mixed(i);
		self->lens[i] = 8;
	}
}

FIXTURE_TEARDOWN(prefix)
{
	close(self->dev);
}

/* A new filter that has every third of the keys. */
static int some_there(FIXTURE_DATA(prefix) *self, __u32 hash)
{
	int fd = create_filter(self->dev, hash, 4096, 7);
	int i, ret;

	for (i = 0; i < NR; i += 3) {
		ret = hash == GLOOM_HASH_XXH64 ? add(fd, &self->keys[i], 8) :
						 add_hash(fd, self->keys[i]);
		if (ret != 1)
			abort();
	}
	memset(self->results, POISON, sizeof(self->results));
	return fd;
}

/* Does @b do exactly the first @nr keys? */
static void check_done(struct __test_metadata *_metadata, int fd,
		       struct gloom_batch *b, __u32 nr)
{
	__u32 there = (NR + 2) / 3, there_done = (nr + 2) / 3;
	const __u8 *results = (void *)(uintptr_t)b->results;
	struct gloom_info i;
	__u32 n;

	ASSERT_EQ(0, batch(fd, b));
	ASSERT_EQ(nr, b->nr_done);
	EXPECT_EQ(b->op == GLOOM_OP_TEST ? there_done : nr - there_done,
		  b->nr_positive);
	for (n = 0; n < nr; n++)
		EXPECT_EQ(!(n % 3) == (b->op == GLOOM_OP_TEST),
			  bitmap_bit(results, n));
	for (; n % 8; n++)
		EXPECT_EQ(0, bitmap_bit(results, n));

	i = snapshot(fd);
	if (b->op == GLOOM_OP_TEST) {
		EXPECT_EQ(nr, i.tests);
		EXPECT_EQ(there_done, i.positives);
		EXPECT_EQ(there, i.adds);
	} else {
		EXPECT_EQ(0, i.tests);
		EXPECT_EQ(there + nr, i.adds);
		EXPECT_EQ(there + nr - there_done, i.adds_new);
	}
}

/* Is the first key of @b refused with @error, and nothing done? */
static void check_refused(struct __test_metadata *_metadata,
			  FIXTURE_DATA(prefix) *self, int fd,
			  struct gloom_batch *b, int error)
{
	struct gloom_info before = snapshot(fd);

	EXPECT_EQ(error, batch(fd, b));
	EXPECT_EQ(POISON32, (int)b->nr_done);
	EXPECT_EQ(POISON32, (int)b->nr_positive);
	EXPECT_EQ(POISON, self->results[0]);
	EXPECT_UNCHANGED(before, fd);
}

TEST_F(prefix, hashes_end)
{
	struct gloom_batch b;
	__u64 *keys;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH3);
		keys = guarded(places[p] * 8);
		memcpy(keys, self->keys, places[p] * 8);
		b = hashes_args(variant->op, keys, NR, self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = hashes_args(variant->op, keys + places[p], NR - places[p],
				self->results);
		check_refused(_metadata, self, fd, &b, -EFAULT);
		close(fd);
	}
}

TEST_F(prefix, keys_end)
{
	struct gloom_batch b;
	__u64 *keys;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH64);
		/* The bad key itself begins where there still is memory. */
		keys = guarded(places[p] * 8 + p % 8);
		memcpy(keys, self->keys, places[p] * 8);
		b = batch_args(variant->op, keys, 8, NR, self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = batch_args(variant->op, keys + places[p], 8,
			       NR - places[p], self->results);
		check_refused(_metadata, self, fd, &b, -EFAULT);
		close(fd);
	}
}

TEST_F(prefix, blob_end)
{
	struct gloom_batch b;
	__u64 *keys;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH64);
		keys = guarded(places[p] * 8 + p % 8);
		memcpy(keys, self->keys, places[p] * 8);
		b = lens_args(variant->op, keys, NR * 8, self->lens, NR,
			      self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = lens_args(variant->op, keys + places[p], NR * 8,
			      self->lens, NR - places[p], self->results);
		check_refused(_metadata, self, fd, &b, -EFAULT);
		close(fd);
	}
}

TEST_F(prefix, lens_end)
{
	struct gloom_batch b;
	__u32 *lens;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH64);
		lens = guarded(places[p] * 4 + p % 4);
		memcpy(lens, self->lens, places[p] * 4);
		b = lens_args(variant->op, self->keys, NR * 8, lens, NR,
			      self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = lens_args(variant->op, self->keys, NR * 8,
			      lens + places[p], NR, self->results);
		check_refused(_metadata, self, fd, &b, -EFAULT);
		close(fd);
	}
}

TEST_F(prefix, len_above_most)
{
	static const __u32 too_long[] = { GLOOM_KEY_MAX + 1, 0x80000000,
					  0xffffffff };
	struct gloom_batch b;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH64);
		self->lens[places[p]] = too_long[p % ARRAY_SIZE(too_long)];
		b = lens_args(variant->op, self->keys, 1ULL << 40, self->lens,
			      NR, self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = lens_args(variant->op, &self->keys[places[p]], 1ULL << 40,
			      &self->lens[places[p]], NR - places[p],
			      self->results);
		check_refused(_metadata, self, fd, &b, -EMSGSIZE);
		self->lens[places[p]] = 8;
		close(fd);
	}
}

/* A key ends behind the bytes there are said to be. */
TEST_F(prefix, len_beyond_blob)
{
	struct gloom_batch b;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(places); p++) {
		fd = some_there(self, GLOOM_HASH_XXH64);
		b = lens_args(variant->op, self->keys, places[p] * 8 + p % 8,
			      self->lens, NR, self->results);
		check_done(_metadata, fd, &b, places[p]);
		EXPECT_EQ(POISON, self->results[(places[p] + 7) / 8]);

		memset(self->results, POISON, sizeof(self->results));
		b = lens_args(variant->op, self->keys, p % 8, self->lens, NR,
			      self->results);
		check_refused(_metadata, self, fd, &b, -EINVAL);
		close(fd);
	}
}

/* There is room for the answers of some keys only: no other key is done. */
TEST_F(prefix, results_end)
{
	static const __u32 bytes[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 128,
				       NR / 8 };
	struct gloom_batch b;
	__u8 *results;
	size_t p;
	int fd;

	for (p = 0; p < ARRAY_SIZE(bytes); p++) {
		fd = some_there(self, GLOOM_HASH_XXH3);
		results = guarded(bytes[p]);
		b = hashes_args(variant->op, self->keys, NR, results);
		check_done(_metadata, fd, &b, bytes[p] * 8);

		b = hashes_args(variant->op, self->keys, NR,
				results + bytes[p]);
		check_refused(_metadata, self, fd, &b, -EFAULT);
		close(fd);
	}
}

GLOOM_TEST_MAIN
