// SPDX-License-Identifier: GPL-2.0
/*
 * The same keys have the same bits and answers on every machine: checksums of
 * both against recorded ones. Blocks are filled by the core here, and compared
 * with what the kernel says of its own.
 */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <gloom/core.h>

#include "gloom_test.h"

#define NR_BLOCKS	61
#define NR_KEYS		4000
#define NR_OTHERS	8000
#define KEY_MAX		47
#define SEED		0x0123456789abcdefULL

/* FNV-1a. */
#define CHECKSUM_START	0xcbf29ce484222325ULL

static __u64 checksum(__u64 sum, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		sum = (sum ^ *byte++) * 0x100000001b3ULL;
	return sum;
}

/* The i-th key, byte by byte; its length. */
static __u32 make_key(__u32 i, unsigned char key[KEY_MAX])
{
	__u32 len = i % (KEY_MAX + 1);
	__u32 j;

	for (j = 0; j < len; j++)
		key[j] = mixed((__u64)i << 8 | j);
	return len;
}

static bool core_add(struct gloom_block *blocks, __u64 hash, __u32 k)
{
	struct gloom_block *block = &blocks[gloom_block_index(hash, NR_BLOCKS)];

	switch (k) {
#define CASE(n) case n: return gloom_block_add(block, gloom_block_hash(hash), n)
	CASE(1); CASE(2); CASE(3); CASE(4); CASE(5); CASE(6); CASE(7); CASE(8);
	CASE(9); CASE(10); CASE(11); CASE(12); CASE(13); CASE(14); CASE(15);
	CASE(16);
#undef CASE
	}
	abort();
}

static unsigned int popcount(const struct gloom_block *blocks)
{
	const unsigned char *byte = (const unsigned char *)blocks;
	unsigned int bits = 0;
	size_t i;

	for (i = 0; i < NR_BLOCKS * sizeof(*blocks); i++)
		bits += __builtin_popcount(byte[i]);
	return bits;
}

static const struct {
	__u64 bytes;
	__u64 answers;
} recorded[GLOOM_K_MAX + 1] = {
	[1] = { 0x2ffc44e0298068e5ULL, 0x7dec3b2bb96ffb9aULL },
	[2] = { 0x5ce9336357f589ceULL, 0xb25dce5a5fe74c78ULL },
	[3] = { 0x0984bf2e013c96d4ULL, 0x49aeff5e59d3fe97ULL },
	[4] = { 0x85c09d5298bbb7baULL, 0x51fed655777a3f1eULL },
	[5] = { 0x88083aaff2f17d38ULL, 0x8579b67addc0c8e4ULL },
	[6] = { 0x0fe2c88018ea3c1dULL, 0x4ddfb50405f42dd1ULL },
	[7] = { 0x125129446ca40547ULL, 0xfe746a6164690938ULL },
	[8] = { 0x629ef3b41384ac60ULL, 0x9d823f9ba3d6b650ULL },
	[9] = { 0xc4ced2622d42c49fULL, 0xbabe231ad273f10bULL },
	[10] = { 0x26471b194d78b874ULL, 0x32e56075bf0b910eULL },
	[11] = { 0x23c2bd542d7f8edaULL, 0xadf3fa839e633ebeULL },
	[12] = { 0x19df40ae4a4533d5ULL, 0xadb6a434d1e5cdc0ULL },
	[13] = { 0xc86fdc2947e44717ULL, 0x0c383f4f4a25fd83ULL },
	[14] = { 0x1139b50e3b2f6c27ULL, 0xaca2ad7860dbb241ULL },
	[15] = { 0xb6b67a88777ea287ULL, 0x95990818d8fef82cULL },
	[16] = { 0x76bbfa8cb0911523ULL, 0x553546584a2593eaULL },
};

FIXTURE(vectors)
{
	int dev;
};

FIXTURE_SETUP(vectors)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(vectors)
{
	close(self->dev);
}

TEST_F(vectors, bytes_and_answers)
{
	static struct gloom_block blocks[NR_BLOCKS];
	unsigned char key[KEY_MAX];
	__u64 answers, bytes;
	__u32 i, k, len;
	int fd, answer;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		struct gloom_create c = create_args();

		c.nr_blocks = NR_BLOCKS;
		c.k = k;
		c.seed = SEED;
		fd = create(self->dev, &c);
		ASSERT_LE(0, fd);
		memset(blocks, 0, sizeof(blocks));
		answers = CHECKSUM_START;
		for (i = 0; i < NR_KEYS; i++) {
			len = make_key(i, key);
			answer = add(fd, key, len);
			EXPECT_EQ(core_add(blocks, XXH64(key, len, SEED), k),
				  answer);
			answers = checksum(answers, &(char){ answer }, 1);
		}
		for (i = NR_KEYS / 2; i < NR_OTHERS; i++) {
			len = make_key(i, key);
			answer = test(fd, key, len);
			answers = checksum(answers, &(char){ answer }, 1);
		}
		bytes = checksum(CHECKSUM_START, blocks, sizeof(blocks));
		EXPECT_EQ(popcount(blocks), snapshot(fd).bits_set);
		EXPECT_EQ(recorded[k].bytes, bytes);
		EXPECT_EQ(recorded[k].answers, answers) {
			TH_LOG("k %u", k);
		}
		close(fd);
	}
}

GLOOM_TEST_MAIN
