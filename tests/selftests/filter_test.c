// SPDX-License-Identifier: GPL-2.0
/* One filter: what create was told, adding and testing single keys, info. */

#include <gloom/core.h>

#include "gloom_test.h"

FIXTURE(filter)
{
	int dev;
	int fd;		/* XXH64, large enough to be without chance hits */
};

FIXTURE_SETUP(filter)
{
	self->dev = open_device();
	self->fd = create_filter(self->dev, GLOOM_HASH_XXH64, 16384, 8);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(filter)
{
	close(self->fd);
	close(self->dev);
}

/* Every parameter reads back as it was given. */
TEST(create_info)
{
	struct gloom_create c = create_args();
	struct gloom_info i;
	int dev = open_device();
	int fd;

	unique_name(c.name, "info");
	c.nr_blocks = 65;
	c.k = 11;
	c.hash = GLOOM_HASH_XXH3;
	c.seed = 0x0123456789abcdefULL;
	c.capacity = 0xfedcba9876543210ULL;
	c.fpr = 0x028f5c28f5c28f5cULL;
	c.flags = GLOOM_CREATE_NODE;
	fd = create(dev, &c);
	ASSERT_LE(0, fd);

	ASSERT_EQ(0, get_info(fd, GLOOM_INFO_BITS_SET, &i));
	EXPECT_EQ(sizeof(i), i.size);
	EXPECT_EQ(GLOOM_INFO_BITS_SET, i.flags);
	EXPECT_EQ(GLOOM_INFO_BITS_SET | GLOOM_INFO_SEED | GLOOM_INFO_COUNTERS,
		  i.valid);
	EXPECT_EQ(11, i.k);
	EXPECT_EQ(65, i.nr_blocks);
	EXPECT_EQ(GLOOM_HASH_XXH3, i.hash);
	EXPECT_EQ(GLOOM_LAYOUT_1, i.layout);
	EXPECT_EQ(0x0123456789abcdefULL, i.seed);
	EXPECT_EQ(0xfedcba9876543210ULL, i.capacity);
	EXPECT_EQ(0x028f5c28f5c28f5cULL, i.fpr);
	EXPECT_EQ(2 * page_size(), i.bytes);
	EXPECT_EQ(1, i.generation);
	EXPECT_LT(0, i.id);
	EXPECT_EQ(0, i.adds);
	EXPECT_EQ(0, i.adds_new);
	EXPECT_EQ(0, i.tests);
	EXPECT_EQ(0, i.positives);
	EXPECT_EQ(0, i.bits_set);
	EXPECT_EQ(0, i.node);
	EXPECT_EQ(0, i.reserved);
	EXPECT_EQ(0, memcmp(c.name, i.name, sizeof(i.name)));
	EXPECT_EQ(0, unlink_name(dev, c.name));
}

TEST(create_info_defaults)
{
	struct gloom_info i;
	char zeroes[GLOOM_NAME_SIZE] = "";
	int dev = open_device();
	int fd = create_filter(dev, GLOOM_HASH_XXH64, 1, 1);

	ASSERT_EQ(0, get_info(fd, 0, &i));
	EXPECT_EQ(0, i.flags);
	EXPECT_EQ(GLOOM_INFO_SEED | GLOOM_INFO_COUNTERS, i.valid);
	EXPECT_EQ(0, i.capacity);
	EXPECT_EQ(0, i.fpr);
	EXPECT_EQ(0, i.bits_set);
	EXPECT_EQ(-1, i.node);
	EXPECT_EQ(page_size(), i.bytes);
	EXPECT_EQ(0, memcmp(zeroes, i.name, sizeof(zeroes)));
}

/* All k with all hash kinds read back and work, on the smallest filter. */
TEST(create_geometries)
{
	struct gloom_info i;
	int dev = open_device();
	__u32 k, hash;
	int fd;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (hash = GLOOM_HASH_XXH64; hash <= GLOOM_HASH_PREHASHED;
		     hash++) {
			fd = create_filter(dev, hash, 1, k);
			ASSERT_LE(0, fd);
			if (hash == GLOOM_HASH_XXH64) {
				EXPECT_EQ(0, test(fd, "key", 3));
				EXPECT_EQ(1, add(fd, "key", 3));
				EXPECT_EQ(1, test(fd, "key", 3));
			} else {
				EXPECT_EQ(0, test_hash(fd, 42));
				EXPECT_EQ(1, add_hash(fd, 42));
				EXPECT_EQ(1, test_hash(fd, 42));
			}
			i = snapshot(fd);
			EXPECT_EQ(k, i.k);
			EXPECT_EQ(hash, i.hash);
			/* Partitions do not overlap. */
			EXPECT_EQ(k, i.bits_set);
			close(fd);
		}
	}
}

TEST(create_random_seed)
{
	struct gloom_create c = create_args();
	struct gloom_info a, b;
	int dev = open_device();

	c.flags = GLOOM_CREATE_RANDOM_SEED;
	c.seed = 0;
	a = snapshot(create(dev, &c));
	b = snapshot(create(dev, &c));
	EXPECT_NE(a.seed, b.seed);
	EXPECT_NE(a.id, b.id);
}

TEST(file_stat)
{
	struct gloom_create c = create_args();
	struct stat st;
	int dev = open_device();
	int fd;

	c.mode = 0642;
	c.nr_blocks = 1000;
	umask(0777);
	fd = create(dev, &c);
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(S_IFREG | 0642, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
	EXPECT_EQ(16 * page_size(), st.st_size);
	EXPECT_EQ(snapshot(fd).bytes, st.st_size);
	EXPECT_EQ(snapshot(fd).id, st.st_ino);
}

TEST_F(filter, add_test)
{
	struct gloom_info i;

	EXPECT_EQ(0, test(self->fd, "key", 3));
	EXPECT_EQ(1, add(self->fd, "key", 3));
	EXPECT_EQ(1, test(self->fd, "key", 3));
	EXPECT_EQ(0, add(self->fd, "key", 3));
	EXPECT_EQ(0, test(self->fd, "other", 5));

	i = snapshot(self->fd);
	EXPECT_EQ(2, i.adds);
	EXPECT_EQ(1, i.adds_new);
	EXPECT_EQ(3, i.tests);
	EXPECT_EQ(1, i.positives);
	EXPECT_EQ(8, i.bits_set);
}

/* No key is a key, with or without a pointer to it. */
TEST_F(filter, key_empty)
{
	EXPECT_EQ(0, test(self->fd, NULL, 0));
	EXPECT_EQ(0, test(self->fd, "", 0));
	EXPECT_EQ(1, add(self->fd, NULL, 0));
	EXPECT_EQ(1, test(self->fd, "", 0));
	EXPECT_EQ(0, add(self->fd, "ignored", 0));
	EXPECT_EQ(0, test(self->fd, "", 1));
	EXPECT_EQ(-EFAULT, test(self->fd, NULL, 1));
}

TEST_F(filter, key_nul_bytes)
{
	EXPECT_EQ(1, add(self->fd, "ab\0cd", 5));
	EXPECT_EQ(0, test(self->fd, "ab", 2));
	EXPECT_EQ(0, test(self->fd, "ab\0", 3));
	EXPECT_EQ(0, test(self->fd, "ab\0ce", 5));
	EXPECT_EQ(0, test(self->fd, "ab\0cd", 6));
	EXPECT_EQ(1, test(self->fd, "ab\0cd", 5));
	EXPECT_EQ(1, add(self->fd, "\0", 1));
	EXPECT_EQ(1, add(self->fd, "\0\0", 2));
}

/* Each length is a key of its own, and only it. */
TEST_F(filter, key_lengths)
{
	static __u8 key[GLOOM_KEY_MAX + 1];
	__u32 len;
	size_t i;

	for (i = 0; i < sizeof(key); i++)
		key[i] = mixed(i);
	for (len = 0; len <= GLOOM_KEY_MAX; len++) {
		EXPECT_EQ(0, test(self->fd, key, len)) {
			TH_LOG("length %u", len);
		}
		EXPECT_EQ(1, add(self->fd, key, len)) {
			TH_LOG("length %u", len);
		}
		EXPECT_EQ(1, test(self->fd, key, len)) {
			TH_LOG("length %u", len);
		}
		if (!len)
			continue;
		/* The last byte counts. */
		key[len - 1] ^= 1;
		EXPECT_EQ(0, test(self->fd, key, len)) {
			TH_LOG("length %u", len);
		}
		key[len - 1] ^= 1;
	}
	EXPECT_EQ(-EMSGSIZE, add(self->fd, key, GLOOM_KEY_MAX + 1));
	EXPECT_EQ(-EMSGSIZE, test(self->fd, key, GLOOM_KEY_MAX + 1));
}

/* Half of all keys of one and of two bytes, the other half is not there. */
TEST_F(filter, key_short)
{
	unsigned int i, false_positives = 0;
	__u8 key[2];
	int answer;

	for (i = 0; i < 256; i++) {
		key[0] = i;
		if (i % 2)
			EXPECT_EQ(1, add(self->fd, key, 1));
	}
	for (i = 0; i < 256; i++) {
		key[0] = i;
		EXPECT_EQ(i % 2, test(self->fd, key, 1)) {
			TH_LOG("key %#x", i);
		}
	}
	for (i = 0; i < 65536; i++) {
		memcpy(key, &(__u16){ i }, 2);
		if (i % 2)
			ASSERT_LE(0, add(self->fd, key, 2));
	}
	for (i = 0; i < 65536; i++) {
		memcpy(key, &(__u16){ i }, 2);
		answer = test(self->fd, key, 2);
		ASSERT_LE((int)(i % 2), answer);
		false_positives += answer - i % 2;
	}
	/* 2 keys a block, 8 bits each: 1 in 10^7; short keys are no worse. */
	EXPECT_LE(false_positives, 2);
}

/* Keys across the end of a page, at every distance from it. */
TEST_F(filter, key_across_pages)
{
	__u8 *pages = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u8 *edge = pages + page_size();
	__u8 copy[40];
	size_t i;

	ASSERT_TRUE(pages != MAP_FAILED);
	for (i = 0; i < 2 * page_size(); i++)
		pages[i] = mixed(i);
	for (i = 0; i <= sizeof(copy); i++) {
		memcpy(copy, edge - i, sizeof(copy));
		EXPECT_EQ(1, add(self->fd, edge - i, sizeof(copy)));
		EXPECT_EQ(1, test(self->fd, copy, sizeof(copy)));
	}
}

TEST_F(filter, hash_refused)
{
	struct gloom_info before = snapshot(self->fd);

	EXPECT_EQ(-EOPNOTSUPP, add_hash(self->fd, 1));
	EXPECT_EQ(-EOPNOTSUPP, test_hash(self->fd, 1));
	EXPECT_UNCHANGED(before, self->fd);
}

TEST(hash_needed)
{
	struct gloom_info before;
	int dev = open_device();
	__u32 hash;
	int fd;

	for (hash = GLOOM_HASH_XXH3; hash <= GLOOM_HASH_PREHASHED; hash++) {
		fd = create_filter(dev, hash, 64, 7);
		before = snapshot(fd);
		EXPECT_EQ(-EOPNOTSUPP, add(fd, "key", 3));
		EXPECT_EQ(-EOPNOTSUPP, test(fd, "key", 3));
		EXPECT_UNCHANGED(before, fd);
	}
}

/* Extreme hashes lead to the first and the last block, and no further. */
TEST(hash_extremes)
{
	static const __u64 sizes[] = { 1, 2, 3, 63, 64, 65, 1000 };
	int dev = open_device();
	size_t s;
	int fd;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		fd = create_filter(dev, GLOOM_HASH_PREHASHED, sizes[s], 16);
		EXPECT_EQ(1, add_hash(fd, 0));
		EXPECT_EQ(1, add_hash(fd, ~0ULL));
		EXPECT_EQ(1, test_hash(fd, 0));
		EXPECT_EQ(1, test_hash(fd, ~0ULL));
		EXPECT_LE(snapshot(fd).bits_set, 32);
		close(fd);
	}
}

/*
 * The kernel's answers against those of a filter in this program's memory with
 * the same bits, for 100,000 hashes in all; every count in info is exact.
 */
TEST(positions_exact)
{
	static const __u64 sizes[] = { 1, 3, 64, 127, 1000, 4096 };
	enum { NR = 1042 };
	int dev = open_device();
	struct gloom_block *blocks;
	__u64 adds_new, positives, bits, h;
	struct gloom_info info;
	__u32 k, i;
	size_t s, b;
	int fd;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			fd = create_filter(dev, GLOOM_HASH_PREHASHED, sizes[s],
					   k);
			ASSERT_LE(0, fd);
			blocks = aligned_alloc(64, sizes[s] * 64);
			memset(blocks, 0, sizes[s] * 64);
			adds_new = 0;
			positives = 0;
			for (i = 0; i < NR; i++) {
				struct gloom_block *block;
				bool expected;

				h = mixed(i + k * NR);
				block = &blocks[gloom_block_index(h, sizes[s])];
				expected = gloom_block_test(block, h, k);
				ASSERT_EQ(expected, test_hash(fd, h));
				positives += expected;
				if (i % 4)
					continue;
				ASSERT_EQ(!expected, add_hash(fd, h));
				gloom_block_add(block, h, k);
				adds_new += !expected;
			}
			bits = 0;
			for (b = 0; b < sizes[s] * 64; b++)
				bits += __builtin_popcount(((__u8 *)blocks)[b]);
			info = snapshot(fd);
			EXPECT_EQ(bits, info.bits_set);
			EXPECT_EQ((NR + 3) / 4, info.adds);
			EXPECT_EQ(adds_new, info.adds_new);
			EXPECT_EQ(NR, info.tests);
			EXPECT_EQ(positives, info.positives);
			free(blocks);
			close(fd);
		}
	}
}

GLOOM_TEST_MAIN
