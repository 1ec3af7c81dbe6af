// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's hash against libxxhash's, and the library's two backends against
 * each other.
 *
 * With one bit a key, a filter that is half full gives away one bit of each
 * key's hash. What must agree is the answer for many keys of each length.
 */

#include <xxhash.h>

#include <gloom.h>
#include <gloom/core.h>

#include "gloom_test.h"

enum { BLOCKS = 64, FILL = 23000, VARIANTS = 8 };

static const __u64 seeds[] = { 0, 0x9e3779b185ebca87ULL };

/* A filter in the kernel, and the same computed here. */
FIXTURE(hash)
{
	int dev;
	int fd;
	__u64 seed;
	struct gloom_block blocks[BLOCKS];
	__u8 *data;		/* page-aligned random bytes */
};

FIXTURE_VARIANT(hash)
{
	int seed;
};

FIXTURE_VARIANT_ADD(hash, seed_0) {
	.seed = 0,
};

FIXTURE_VARIANT_ADD(hash, seed_64_bits) {
	.seed = 1,
};

static struct gloom_block *block_of(struct gloom_block *blocks, __u64 hash)
{
	return &blocks[gloom_block_index(hash, BLOCKS)];
}

FIXTURE_SETUP(hash)
{
	struct gloom_create c = create_args();
	__u64 bits = 0, key;
	__u32 i;

	self->seed = seeds[variant->seed];
	c.nr_blocks = BLOCKS;
	c.k = 1;
	c.seed = self->seed;
	self->dev = open_device();
	self->fd = create(self->dev, &c);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < FILL; i++) {
		key = mixed(i);
		gloom_block_add(block_of(self->blocks,
					 XXH64(&key, 8, self->seed)),
				XXH64(&key, 8, self->seed), 1);
		ASSERT_LE(0, add(self->fd, &key, 8));
	}
	for (i = 0; i < sizeof(self->blocks); i++)
		bits += __builtin_popcount(((__u8 *)self->blocks)[i]);
	ASSERT_EQ(bits, snapshot(self->fd).bits_set);
	/* Half full, about. */
	ASSERT_LT(BLOCKS * 512 * 2 / 5, bits);
	ASSERT_GT(BLOCKS * 512 * 3 / 5, bits);

	self->data = aligned_alloc(4096, 16 * 4096);
	for (i = 0; i < 16 * 4096; i += 8)
		memcpy(self->data + i, &(__u64){ mixed(i + FILL) }, 8);
}

FIXTURE_TEARDOWN(hash)
{
	close(self->fd);
	close(self->dev);
}

/* What the filter must say of a key. */
static int expected(FIXTURE_DATA(hash) *self, const void *key, __u32 len)
{
	__u64 hash = XXH64(key, len, self->seed);

	return gloom_block_test(block_of(self->blocks, hash), hash, 1);
}

/* 0 to 300, 1023 to 1025, and the longest. */
static __u32 next_length(__u32 len)
{
	return len == 300 ? 1023 : len == 1025 ? GLOOM_KEY_MAX : len + 1;
}

TEST_F(hash, single_keys)
{
	__u32 len, at, i;

	for (len = 0; len <= GLOOM_KEY_MAX; len = next_length(len)) {
		for (at = 0; at < 8; at++) {
			for (i = 0; i < VARIANTS; i++) {
				__u8 *key = self->data + i * 4104 + at;

				ASSERT_EQ(expected(self, key, len),
					  test(self->fd, key, len)) {
					TH_LOG("length %u at %u", len, at);
				}
			}
		}
	}
}

TEST_F(hash, batch_fixed)
{
	__u32 len, at, i;
	struct gloom_batch b;
	__u8 results[8];

	for (len = 1; len <= 300; len++) {
		for (at = 0; at < 8; at++) {
			b = batch_args(GLOOM_OP_TEST, self->data + at, len, 64,
				       results);
			ASSERT_EQ(0, batch(self->fd, &b));
			for (i = 0; i < 64; i++) {
				__u8 *key = self->data + at + i * len;

				ASSERT_EQ(expected(self, key, len),
					  bitmap_bit(results, i)) {
					TH_LOG("length %u at %u", len, at);
				}
			}
		}
	}
	for (at = 0; at < 8; at++) {
		b = batch_args(GLOOM_OP_TEST, self->data + at, 4096, 15,
			       results);
		ASSERT_EQ(0, batch(self->fd, &b));
		for (i = 0; i < 15; i++) {
			__u8 *key = self->data + at + i * 4096;

			ASSERT_EQ(expected(self, key, 4096),
				  bitmap_bit(results, i));
		}
	}
}

/* In these every length comes at every alignment. */
TEST_F(hash, batch_lengths)
{
	enum { NR = 302 };
	__u32 lens[NR], len, at, i;
	__u8 results[NR / 8 + 1];
	struct gloom_batch b;
	__u8 *key;

	for (at = 0; at < 8; at++) {
		len = 0;
		for (i = 0; i < NR; i++) {
			lens[i] = len;
			len = next_length(len);
		}
		b = lens_args(GLOOM_OP_TEST, self->data + at, 60000, lens, NR,
			      results);
		ASSERT_EQ(0, batch(self->fd, &b));
		ASSERT_EQ(NR, b.nr_done);
		key = self->data + at;
		for (i = 0; i < NR; i++) {
			ASSERT_EQ(expected(self, key, lens[i]),
				  bitmap_bit(results, i)) {
				TH_LOG("length %u", lens[i]);
			}
			key += lens[i];
		}
	}
}

/* ---- The library ---------------------------------------------------- */

FIXTURE(backends)
{
	struct gloom_filter *kernel;
	struct gloom_filter *local;
	__u8 *data;
};

FIXTURE_VARIANT(backends)
{
	enum gloom_hash hash;
};

FIXTURE_VARIANT_ADD(backends, xxh64) {
	.hash = GLOOM_XXH64,
};

FIXTURE_VARIANT_ADD(backends, xxh3) {
	.hash = GLOOM_XXH3,
};

FIXTURE_VARIANT_ADD(backends, prehashed) {
	.hash = GLOOM_PREHASHED,
};

FIXTURE_SETUP(backends)
{
	struct gloom_options o = GLOOM_OPTIONS_INIT;
	int i;

	o.hash = variant->hash;
	o.nr_blocks = 200;
	o.k = 5;
	o.flags = GLOOM_SEED;
	o.seed = seeds[1];
	ASSERT_EQ(0, gloom_create(&self->kernel, NULL, &o));
	o.flags |= GLOOM_LOCAL;
	ASSERT_EQ(0, gloom_create(&self->local, NULL, &o));
	self->data = malloc(16 * 4096);
	for (i = 0; i < 16 * 4096; i += 8)
		memcpy(self->data + i, &(__u64){ mixed(i) }, 8);
}

FIXTURE_TEARDOWN(backends)
{
	gloom_close(self->local);
	gloom_close(self->kernel);
}

static void check_alike(struct __test_metadata *_metadata,
			FIXTURE_DATA(backends) *self)
{
	struct gloom_filter_info k = { .size = sizeof(k) };
	struct gloom_filter_info l = { .size = sizeof(l) };

	ASSERT_EQ(0, gloom_info(self->kernel, GLOOM_COUNT_BITS, &k));
	ASSERT_EQ(0, gloom_info(self->local, GLOOM_COUNT_BITS, &l));
	EXPECT_FALSE(k.local);
	EXPECT_TRUE(l.local);
	EXPECT_EQ(k.nr_blocks, l.nr_blocks);
	EXPECT_EQ(k.k, l.k);
	EXPECT_EQ(k.hash, l.hash);
	EXPECT_EQ(k.layout, l.layout);
	EXPECT_EQ(k.seed, l.seed);
	EXPECT_EQ(k.adds, l.adds);
	EXPECT_EQ(k.adds_new, l.adds_new);
	EXPECT_EQ(k.tests, l.tests);
	EXPECT_EQ(k.positives, l.positives);
	EXPECT_EQ(k.bits_set, l.bits_set);
	EXPECT_LT(0, k.bits_set);
}

TEST_F(backends, single_keys)
{
	__u32 len, at, answer;

	for (len = 0; len <= GLOOM_KEY_MAX; len = next_length(len)) {
		if (variant->hash == GLOOM_PREHASHED && len != 8)
			continue;
		for (at = 0; at < 64; at++) {
			__u8 *key = self->data + 257 * at;

			if (at % 3 == 0)
				ASSERT_EQ(gloom_add(self->kernel, key, len),
					  gloom_add(self->local, key, len));
			answer = gloom_test(self->kernel, key + 1, len);
			ASSERT_EQ(answer,
				  gloom_test(self->local, key + 1, len)) {
				TH_LOG("length %u at %u", len, at);
			}
			ASSERT_GE(1, answer);
		}
	}
	check_alike(_metadata, self);
}

TEST_F(backends, batches)
{
	static const size_t sizes[] = { 1, 7, 8, 16, 33, 256, 257, 4096 };
	__u8 kernel_results[64], local_results[64];
	struct gloom_keys keys;
	uint64_t positives;
	size_t s, bytes;
	int op;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		if (variant->hash == GLOOM_PREHASHED && sizes[s] != 8)
			continue;
		keys = (struct gloom_keys){
			.data = self->data,
			.nr = sizes[s] > 128 ? 15 : 500,
			.key_size = sizes[s],
		};
		bytes = (keys.nr + 7) / 8;
		for (op = GLOOM_TEST; op <= GLOOM_TEST_AND_ADD; op++) {
			/* A part of the keys is new to each operation. */
			keys.data = self->data + op % 3;
			ASSERT_EQ(keys.nr, gloom_batch(self->kernel, op, &keys,
						       kernel_results,
						       &positives));
			ASSERT_EQ(keys.nr, gloom_batch(self->local, op, &keys,
						       local_results, NULL));
			ASSERT_EQ(0, memcmp(kernel_results, local_results,
					    bytes));
		}
	}
	check_alike(_metadata, self);
}

GLOOM_TEST_MAIN
