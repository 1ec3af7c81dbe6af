// SPDX-License-Identifier: GPL-2.0
/* Each member of each structure at its bounds, just beyond, and all ones. */

#include "gloom_test.h"

#define NOT_THE_SAME	(-1000)

FIXTURE(range)
{
	int dev;
	int fd;		/* XXH64 */
	int hashed;	/* PREHASHED */
	char name[GLOOM_NAME_SIZE];
	struct gloom_info before;
	struct gloom_info before_hashed;
};

FIXTURE_SETUP(range)
{
	self->dev = open_device();
	unique_name(self->name, "range");
	self->fd = create_named(self->dev, self->name, 0600);
	ASSERT_LE(0, self->fd);
	self->hashed = create_filter(self->dev, GLOOM_HASH_PREHASHED, 64, 7);
	ASSERT_LE(0, self->hashed);
	self->before = snapshot(self->fd);
	self->before_hashed = snapshot(self->hashed);
}

FIXTURE_TEARDOWN(range)
{
	EXPECT_UNCHANGED(self->before, self->fd);
	EXPECT_UNCHANGED(self->before_hashed, self->hashed);
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	close(self->hashed);
	close(self->fd);
	close(self->dev);
}

/*
 * Create with valid members but those changed in @c. 0 and nothing left, or a
 * negative errno and nothing made.
 */
static int try_create(int dev, struct gloom_create c)
{
	struct gloom_query before, after;
	struct gloom_create in = c;
	int lowest = lowest_fd();
	int fd;

	in.fd = POISON32;
	query(dev, &before);
	fd = create(dev, &c);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	query(dev, &after);
	if (memcmp(&before, &after, sizeof(before)) || lowest_fd() != lowest ||
	    memcmp(&in, &c, sizeof(c)))
		return NOT_THE_SAME;
	return fd;
}

#define CREATE_WITH(member, value)					\
	({								\
		struct gloom_create c_ = create_args();			\
									\
		c_.member = (value);					\
		try_create(self->dev, c_);				\
	})

TEST_F(range, create_blocks)
{
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, 0));
	EXPECT_EQ(0, CREATE_WITH(nr_blocks, 1));
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, GLOOM_BLOCKS_MAX + 1));
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, GLOOM_BLOCKS_MAX + 64));
	/* Where a product with the size of a block passes 64 bits. */
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, 1ULL << 58));
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, (1ULL << 58) + 1));
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, 1ULL << 63));
	EXPECT_EQ(-EINVAL, CREATE_WITH(nr_blocks, ~0ULL));
}

TEST_F(range, create_k)
{
	EXPECT_EQ(-EINVAL, CREATE_WITH(k, 0));
	EXPECT_EQ(0, CREATE_WITH(k, 1));
	EXPECT_EQ(0, CREATE_WITH(k, 16));
	EXPECT_EQ(-EINVAL, CREATE_WITH(k, 17));
	EXPECT_EQ(-EINVAL, CREATE_WITH(k, 256 + 7));
	EXPECT_EQ(-EINVAL, CREATE_WITH(k, 0x80000007));
	EXPECT_EQ(-EINVAL, CREATE_WITH(k, ~0U));
}

TEST_F(range, create_hash)
{
	EXPECT_EQ(-EINVAL, CREATE_WITH(hash, 0));
	EXPECT_EQ(0, CREATE_WITH(hash, 1));
	EXPECT_EQ(0, CREATE_WITH(hash, 3));
	EXPECT_EQ(-EINVAL, CREATE_WITH(hash, 4));
	/* A shift by it would be a shift by 1. */
	EXPECT_EQ(-EINVAL, CREATE_WITH(hash, 33));
	EXPECT_EQ(-EINVAL, CREATE_WITH(hash, ~0U));
}

TEST_F(range, create_layout)
{
	EXPECT_EQ(-EINVAL, CREATE_WITH(layout, 0));
	EXPECT_EQ(0, CREATE_WITH(layout, 1));
	EXPECT_EQ(-EINVAL, CREATE_WITH(layout, 2));
	EXPECT_EQ(-EINVAL, CREATE_WITH(layout, 33));
	EXPECT_EQ(-EINVAL, CREATE_WITH(layout, ~0U));
}

TEST_F(range, create_mode)
{
	int bit;

	EXPECT_EQ(0, CREATE_WITH(mode, 0));
	EXPECT_EQ(0, CREATE_WITH(mode, 0666));
	for (bit = 0; bit < 32; bit++) {
		if (1U << bit & 0666)
			continue;
		EXPECT_EQ(-EINVAL, CREATE_WITH(mode, 0600 | 1U << bit)) {
			TH_LOG("bit %d", bit);
		}
	}
	EXPECT_EQ(-EINVAL, CREATE_WITH(mode, ~0U));
}

TEST_F(range, create_kept)
{
	EXPECT_EQ(0, CREATE_WITH(seed, 0));
	EXPECT_EQ(0, CREATE_WITH(seed, ~0ULL));
	EXPECT_EQ(0, CREATE_WITH(capacity, ~0ULL));
	EXPECT_EQ(0, CREATE_WITH(fpr, ~0ULL));
}

TEST_F(range, create_random_seed)
{
	struct gloom_create c = create_args();
	int bit;

	c.flags = GLOOM_CREATE_RANDOM_SEED;
	c.seed = 0;
	EXPECT_EQ(0, try_create(self->dev, c));
	for (bit = 0; bit < 64; bit++) {
		c.seed = 1ULL << bit;
		EXPECT_EQ(-EINVAL, try_create(self->dev, c));
	}
}

TEST_F(range, create_node)
{
	struct gloom_create c = create_args();

	EXPECT_EQ(-EINVAL, CREATE_WITH(node, 1));
	EXPECT_EQ(-EINVAL, CREATE_WITH(node, ~0U));
	c.flags = GLOOM_CREATE_NODE;
	EXPECT_EQ(0, try_create(self->dev, c));
	c.node = 1023;	/* the last that a kernel can have, and absent */
	EXPECT_EQ(-EINVAL, try_create(self->dev, c));
	c.node = 1024;
	EXPECT_EQ(-EINVAL, try_create(self->dev, c));
	c.node = 0x80000000;
	EXPECT_EQ(-EINVAL, try_create(self->dev, c));
	c.node = ~0U;
	EXPECT_EQ(-EINVAL, try_create(self->dev, c));
}

TEST_F(range, open_flags)
{
	EXPECT_EQ(-EINVAL, open_named(self->dev, self->name, 0));
	EXPECT_EQ(-EINVAL, open_named(self->dev, self->name, 4));
	EXPECT_EQ(-EINVAL, open_named(self->dev, self->name, ~0U));
}

TEST_F(range, key_len)
{
	static const char key[GLOOM_KEY_MAX + 1];

	EXPECT_EQ(-EMSGSIZE, add(self->fd, key, GLOOM_KEY_MAX + 1));
	EXPECT_EQ(-EMSGSIZE, test(self->fd, key, GLOOM_KEY_MAX + 1));
	EXPECT_EQ(-EMSGSIZE, add(self->fd, key, 0x10000));
	EXPECT_EQ(-EMSGSIZE, add(self->fd, key, 0x80000000));
	EXPECT_EQ(-EMSGSIZE, add(self->fd, key, ~0U));
	EXPECT_EQ(-EMSGSIZE, test(self->fd, key, ~0U));
}

TEST_F(range, hash_len)
{
	static const __u32 lens[] = { 1, 8, 4096, 0x80000000, 0xffffffff };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		EXPECT_EQ(-EINVAL, key_ioctl(self->hashed, GLOOM_IOC_ADD,
					     GLOOM_KEYS_HASHED, 1, lens[i]));
		EXPECT_EQ(-EINVAL, key_ioctl(self->hashed, GLOOM_IOC_TEST,
					     GLOOM_KEYS_HASHED, 1, lens[i]));
	}
}

/* A batch with valid members but those changed in @b. */
static int try_batch(int fd, struct gloom_batch b)
{
	struct gloom_batch in = b;
	int ret;

	in.nr_done = POISON32;
	in.nr_positive = POISON32;
	ret = batch(fd, &b);
	if (ret && memcmp(&in, &b, sizeof(b)))
		return NOT_THE_SAME;
	return ret;
}

static __u8 some_keys[4 * GLOOM_KEY_MAX];

#define BATCH_WITH(member, value)					\
	({								\
		struct gloom_batch b_;					\
									\
		b_ = batch_args(GLOOM_OP_ADD, some_keys, 8, 4, NULL);	\
		b_.member = (value);					\
		try_batch(self->fd, b_);				\
	})

TEST_F(range, batch_op)
{
	EXPECT_EQ(-EINVAL, BATCH_WITH(op, 0));
	EXPECT_EQ(-EINVAL, BATCH_WITH(op, 4));
	EXPECT_EQ(-EINVAL, BATCH_WITH(op, 0x102));
	EXPECT_EQ(-EINVAL, BATCH_WITH(op, ~0U));
}

TEST_F(range, batch_key_size)
{
	struct gloom_batch b;

	b = batch_args(GLOOM_OP_ADD, some_keys, GLOOM_KEY_MAX + 1, 2, NULL);
	EXPECT_EQ(-EINVAL, try_batch(self->fd, b));
	b = batch_args(GLOOM_OP_ADD, some_keys, 0x80000000, 2, NULL);
	EXPECT_EQ(-EINVAL, try_batch(self->fd, b));
	b = batch_args(GLOOM_OP_ADD, some_keys, ~0U, 2, NULL);
	EXPECT_EQ(-EINVAL, try_batch(self->fd, b));
}

TEST_F(range, batch_hash_size)
{
	__u32 size;
	struct gloom_batch b;

	for (size = 1; size <= 16; size++) {
		if (size == 8)
			continue;
		b = batch_args(GLOOM_OP_ADD, some_keys, size, 4, NULL);
		b.flags = GLOOM_KEYS_HASHED;
		EXPECT_EQ(-EINVAL, try_batch(self->hashed, b));
	}
}

/* Hashes have no lengths. */
TEST_F(range, batch_hash_lens)
{
	static const __u32 lens[] = { 8, 8 };
	struct gloom_batch b;

	b = lens_args(GLOOM_OP_ADD, some_keys, 16, lens, 2, NULL);
	b.flags = GLOOM_KEYS_HASHED;
	EXPECT_EQ(-EINVAL, try_batch(self->hashed, b));
}

TEST_F(range, batch_keys_size)
{
	EXPECT_EQ(-EINVAL, BATCH_WITH(keys_size, 0));
	EXPECT_EQ(-EINVAL, BATCH_WITH(keys_size, 31));
	EXPECT_EQ(-EINVAL, BATCH_WITH(keys_size, 33));
	/* Right modulo 2^32. */
	EXPECT_EQ(-EINVAL, BATCH_WITH(keys_size, (1ULL << 32) + 32));
	EXPECT_EQ(-EINVAL, BATCH_WITH(keys_size, ~0ULL));
	EXPECT_EQ(-EINVAL, BATCH_WITH(nr_keys, 3));
	EXPECT_EQ(-EINVAL, BATCH_WITH(nr_keys, 5));
	EXPECT_EQ(-EINVAL, BATCH_WITH(nr_keys, 0));
	EXPECT_EQ(-EINVAL, BATCH_WITH(nr_keys, 0x20000004));
	EXPECT_EQ(-EINVAL, BATCH_WITH(nr_keys, ~0U));
}

/* Lengths for keys that are all of one size. */
TEST_F(range, batch_lens_useless)
{
	EXPECT_EQ(-EINVAL, BATCH_WITH(lens, (uintptr_t)some_keys));
	EXPECT_EQ(-EINVAL, BATCH_WITH(lens, 1));
	EXPECT_EQ(-EINVAL, BATCH_WITH(lens, 1ULL << 63));
}

/* The most keys there can be; the first is there, the second is not. */
TEST_F(range, batch_nr_keys_most)
{
	struct gloom_batch b;
	int fd = create_filter(self->dev, GLOOM_HASH_XXH64, 64, 7);
	__u8 *key = guarded(GLOOM_KEY_MAX);

	b = batch_args(GLOOM_OP_ADD, key, GLOOM_KEY_MAX, ~0U, NULL);
	EXPECT_EQ(0, batch(fd, &b));
	EXPECT_EQ(1, b.nr_done);
	EXPECT_EQ(1, b.nr_positive);
	EXPECT_EQ(1, snapshot(fd).adds);
}

GLOOM_TEST_MAIN
