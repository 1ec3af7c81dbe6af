// SPDX-License-Identifier: GPL-2.0
/* The core against the reference: indices, answers, every bit of the blocks. */
#include <linux/gloom.h>

#include <gloom/core.h>

#include "reference.h"

/* Keys are spread over so many blocks, whatever number they are told. */
#define NR_BLOCKS	4

static struct gloom_block blocks[NR_BLOCKS];
static uint8_t expected[NR_BLOCKS][64];

static bool core_test(const struct gloom_block *block, uint32_t hash,
		      unsigned int k)
{
	bool result = false;

#define CORE_TEST(block, hash, k)				\
	(result = gloom_block_test(block, hash, k))
	GLOOM_SPECIALIZE_K(k, CORE_TEST, block, hash);
	return result;
}

static bool core_add(struct gloom_block *block, uint32_t hash, unsigned int k)
{
	bool result = false;

#define CORE_ADD(block, hash, k)				\
	(result = gloom_block_add(block, hash, k))
	GLOOM_SPECIALIZE_K(k, CORE_ADD, block, hash);
	return result;
}

static uint64_t take_nr_blocks(struct bytes *input)
{
	uint64_t nr = take(input, 5);

	if (nr > GLOOM_BLOCKS_MAX)
		nr = GLOOM_BLOCKS_MAX - (nr & 0xff);
	return nr ? nr : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { data, data + size };
	uint64_t nr_blocks = take_nr_blocks(&input);
	unsigned int k = take(&input, 1) % GLOOM_K_MAX + 1;

	memset(blocks, 0, sizeof(blocks));
	memset(expected, 0, sizeof(expected));
	while (input.at < input.end) {
		uint8_t op = take(&input, 1);
		/* Half of the keys are near each other. */
		uint64_t hash = take(&input, op & 2 ? 8 : 1);
		uint64_t index = gloom_block_index(hash, nr_blocks);
		uint32_t low = gloom_block_hash(hash);
		unsigned int at = index % NR_BLOCKS;

		FUZZ_CHECK(index < nr_blocks);
		FUZZ_EQ(index, reference_index(hash, nr_blocks));
		FUZZ_EQ(core_test(&blocks[at], low, k),
			reference_test(expected[at], k, hash));
		if (op & 1)
			FUZZ_EQ(core_add(&blocks[at], low, k),
				reference_add(expected[at], k, hash));
		FUZZ_CHECK(!memcmp(&blocks[at], expected[at], 64));
	}
	return 0;
}
