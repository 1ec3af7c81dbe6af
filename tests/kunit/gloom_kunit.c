// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suites of the module's inner parts, linked into gloom.ko when it is
 * built with GLOOM_KUNIT=y. They run when the module is loaded.
 */

#include <kunit/test.h>
#include <linux/gcd.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/random.h>
#include <linux/xxhash.h>

#include "../../kmod/gloom.h"

/* Partition sizes as data, to compute positions the slow way. */
static const u16 sizes[GLOOM_K_MAX + 1][GLOOM_K_MAX] =
	GLOOM_PARTITION_SIZES;

/* The same numbers on every run. */
static u64 number(u64 i)
{
	return xxh64(&i, sizeof(i), 1);
}

/* Bit of a block by the documented order of bits in bytes. */
static bool byte_bit(const struct gloom_block *block, unsigned int bit)
{
	return ((const u8 *)block)[bit / 8] >> (bit % 8) & 1;
}

static void partitions_coprime(struct kunit *test)
{
	unsigned int k, i, j;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		unsigned int sum = 0;

		for (i = 0; i < k; i++) {
			sum += sizes[k][i];
			KUNIT_EXPECT_GE(test, (int)sizes[k][i], 2);
			for (j = 0; j < i; j++)
				KUNIT_EXPECT_EQ(test, 1UL,
						gcd(sizes[k][i], sizes[k][j]));
		}
		KUNIT_EXPECT_LE(test, sum, 512U);
	}
}

static void block_index_range(struct kunit *test)
{
	static const u64 nr_blocks[] = {
		1, 2, 3, 1000, 65537, 1ULL << 31, 3ULL << 30, GLOOM_BLOCKS_MAX,
	};
	unsigned int i, n;

	for (n = 0; n < ARRAY_SIZE(nr_blocks); n++) {
		u64 nr = nr_blocks[n];

		KUNIT_EXPECT_EQ(test, gloom_block_index(0, nr), 0ULL);
		KUNIT_EXPECT_EQ(test, gloom_block_index(U64_MAX, nr), nr - 1);
		for (i = 0; i < 1000; i++) {
			u64 hash = number(i);

			KUNIT_EXPECT_EQ(test, gloom_block_index(hash, nr),
					mul_u64_u64_shr(hash, nr, 64));
		}
	}
}

/* Exactly the documented bits, in the documented byte order. */
static void add_positions(struct kunit *test)
{
	unsigned int k, i, p, bit;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (i = 0; i < 200; i++) {
			struct gloom_block got = {}, want = {};
			u32 hash = number(i);
			unsigned int offset = 0;

			for (p = 0; p < k; p++) {
				bit = offset + hash % sizes[k][p];
				((u8 *)&want)[bit / 8] |= 1 << (bit % 8);
				offset += sizes[k][p];
			}
			KUNIT_EXPECT_FALSE(test,
					   gloom_block_test(&got, hash, k));
			KUNIT_EXPECT_TRUE(test, gloom_block_add(&got, hash, k));
			KUNIT_EXPECT_FALSE(test,
					   gloom_block_add(&got, hash, k));
			KUNIT_EXPECT_TRUE(test,
					  gloom_block_test(&got, hash, k));
			KUNIT_EXPECT_EQ(test, 0,
					memcmp(&got, &want, sizeof(got)));
		}
	}
}

/* One bit missing, whichever, is a no. */
static void test_each_bit(struct kunit *test)
{
	unsigned int k, bit, nos;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		struct gloom_block block, full = {};
		u32 hash = number(k);

		gloom_block_add(&full, hash, k);
		nos = 0;
		for (bit = 0; bit < GLOOM_BLOCK_BITS; bit++) {
			if (!byte_bit(&full, bit))
				continue;
			block = full;
			((u8 *)&block)[bit / 8] &= ~(1 << (bit % 8));
			KUNIT_EXPECT_FALSE(test,
					   gloom_block_test(&block, hash, k));
			nos++;
		}
		KUNIT_EXPECT_EQ(test, nos, k);
	}
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(partitions_coprime),
	KUNIT_CASE(block_index_range),
	KUNIT_CASE(add_positions),
	KUNIT_CASE(test_each_bit),
	{}
};

static struct kunit_suite core_suite = {
	.name = "gloom_core",
	.test_cases = core_cases,
};

static struct gloom_table *new_table(struct kunit *test, u64 nr_blocks, u32 k)
{
	struct gloom_geometry geo = {
		.nr_blocks = nr_blocks,
		.k = k,
		.hash = GLOOM_HASH_PREHASHED,
		.layout = GLOOM_LAYOUT_1,
	};
	struct gloom_table *table = gloom_table_create(&geo, NUMA_NO_NODE);

	KUNIT_ASSERT_FALSE(test, IS_ERR(table));
	return table;
}

static void table_new(struct kunit *test)
{
	static const u64 nr_blocks[] = { 1, 63, 64, 65, 40000 };
	unsigned int i;
	u64 bits;

	for (i = 0; i < ARRAY_SIZE(nr_blocks); i++) {
		struct gloom_usage before = gloom_quota_usage(), now;
		struct gloom_table *table = new_table(test, nr_blocks[i], 7);

		KUNIT_EXPECT_EQ(test, table->bytes,
				(size_t)PAGE_ALIGN(nr_blocks[i] * 64));
		KUNIT_EXPECT_EQ(test, (unsigned long)table->blocks % 64, 0UL);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(table->blocks, 0,
						    table->bytes));
		KUNIT_EXPECT_EQ(test, gloom_table_count_bits(table, &bits), 0);
		KUNIT_EXPECT_EQ(test, bits, 0ULL);
		now = gloom_quota_usage();
		KUNIT_EXPECT_EQ(test, now.bytes, before.bytes + table->bytes);
		KUNIT_EXPECT_EQ(test, now.filters, before.filters + 1);

		gloom_table_destroy(table);
		now = gloom_quota_usage();
		KUNIT_EXPECT_EQ(test, now.bytes, before.bytes);
		KUNIT_EXPECT_EQ(test, now.filters, before.filters);
	}
}

static void expect_refusal(struct kunit *test, u64 nr_blocks, int err)
{
	struct gloom_geometry geo = { .nr_blocks = nr_blocks, .k = 7 };
	struct gloom_usage before = gloom_quota_usage(), now;

	KUNIT_EXPECT_PTR_EQ(test, gloom_table_create(&geo, NUMA_NO_NODE),
			    (struct gloom_table *)ERR_PTR(err));
	now = gloom_quota_usage();
	KUNIT_EXPECT_EQ(test, now.bytes, before.bytes);
	KUNIT_EXPECT_EQ(test, now.filters, before.filters);
}

static void table_limits(struct kunit *test)
{
	struct gloom_usage usage = gloom_quota_usage();

	gloom_max_filter_bytes = 63999;
	expect_refusal(test, 1000, -ENOSPC);
	gloom_max_filter_bytes = ULONG_MAX;

	gloom_max_total_bytes = usage.bytes + 63999;
	expect_refusal(test, 1000, -ENOSPC);
	gloom_max_total_bytes = ULONG_MAX;

	gloom_max_filters = usage.filters;
	expect_refusal(test, 1000, -ENOSPC);
	gloom_max_filters = UINT_MAX;

	/* 256 GiB: allowed now, but not there. */
	expect_refusal(test, GLOOM_BLOCKS_MAX, -ENOMEM);
}

static u32 probe_singly(struct gloom_table *table, u32 op, const u64 *hashes,
			unsigned int nr)
{
	unsigned int i;
	u32 result = 0;

	for (i = 0; i < nr; i++)
		result |= gloom_probe(table, op, &hashes[i], 1) << i;
	return result;
}

/* Groups give what single probes give, in every size and for every op. */
static void probe_groups(struct kunit *test)
{
	static const u32 ops[] = { GLOOM_OP_ADD, GLOOM_OP_TEST_ADD };
	u64 hashes[GLOOM_GROUP_KEYS];
	unsigned int k, nr, i, o;
	u64 next = 0;

	for (k = 1; k <= GLOOM_K_MAX; k++) {
		for (o = 0; o < ARRAY_SIZE(ops); o++) {
			struct gloom_table *one = new_table(test, 100, k);
			struct gloom_table *all = new_table(test, 100, k);

			for (nr = 1; nr <= GLOOM_GROUP_KEYS; nr++) {
				u32 want, tested;

				for (i = 0; i < nr; i++)
					hashes[i] = number(next++);
				/* A key twice in a group is new once. */
				if (nr > 2)
					hashes[2] = hashes[0];
				tested = probe_singly(one, GLOOM_OP_TEST,
						      hashes, nr);
				KUNIT_EXPECT_EQ(test, tested,
						gloom_probe(all, GLOOM_OP_TEST,
							    hashes, nr));
				want = probe_singly(one, ops[o], hashes, nr);
				KUNIT_EXPECT_EQ(test, want,
						gloom_probe(all, ops[o], hashes,
							    nr));
				KUNIT_EXPECT_EQ(test, want & tested, 0U);
				KUNIT_EXPECT_EQ(test, GENMASK(nr - 1, 0),
						(unsigned long)
						gloom_probe(all, GLOOM_OP_TEST,
							    hashes, nr));
			}
			KUNIT_EXPECT_EQ(test, 0, memcmp(one->blocks,
							all->blocks,
							all->bytes));
			gloom_table_destroy(one);
			gloom_table_destroy(all);
		}
	}
}

static void count_bits_exact(struct kunit *test)
{
	struct gloom_table *table = new_table(test, 50000, 4);
	u64 bits, want = 0, i, w;
	u64 hash;

	for (i = 0; i < 20000; i++) {
		hash = number(i);
		gloom_probe(table, GLOOM_OP_ADD, &hash, 1);
	}
	for (i = 0; i < table->geo.nr_blocks; i++)
		for (w = 0; w < ARRAY_SIZE(table->blocks->word); w++)
			want += hweight_long(table->blocks[i].word[w]);
	KUNIT_EXPECT_EQ(test, gloom_table_count_bits(table, &bits), 0);
	KUNIT_EXPECT_EQ(test, bits, want);
	KUNIT_EXPECT_GT(test, bits, 79000ULL);
	gloom_table_destroy(table);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_new),
	KUNIT_CASE(table_limits),
	KUNIT_CASE(probe_groups),
	KUNIT_CASE(count_bits_exact),
	{}
};

/*
 * Depending on the kernel, suites run before or after the module's init: limits
 * and locks may not be set up yet.
 */
static struct {
	unsigned long filter_bytes, total_bytes;
	unsigned int filters;
} saved;

static int table_init(struct kunit *test)
{
	saved.filter_bytes = gloom_max_filter_bytes;
	saved.total_bytes = gloom_max_total_bytes;
	saved.filters = gloom_max_filters;
	gloom_max_filter_bytes = ULONG_MAX;
	gloom_max_total_bytes = ULONG_MAX;
	gloom_max_filters = UINT_MAX;
	gloom_probe_init();
	return 0;
}

static void table_exit(struct kunit *test)
{
	gloom_max_filter_bytes = saved.filter_bytes;
	gloom_max_total_bytes = saved.total_bytes;
	gloom_max_filters = saved.filters;
}

static struct kunit_suite table_suite = {
	.name = "gloom_table",
	.init = table_init,
	.exit = table_exit,
	.test_cases = table_cases,
};

static void name_valid(struct kunit *test)
{
	static const char good[][GLOOM_NAME_SIZE] = {
		"a", "Z9", "_x", "a.b:c@d+e-f", "0",
		"123456789012345678901234567890123456789012345678901234567890123",
	};
	static const char bad[][GLOOM_NAME_SIZE] = {
		"", ".a", "-a", "a/b", "a b", "a\n", "\xe4", "a\0b", "{}",
		{ [0 ... GLOOM_NAME_SIZE - 1] = 'x' },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		KUNIT_EXPECT_TRUE(test, gloom_name_valid(good[i]));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_FALSE(test, gloom_name_valid(bad[i]));
}

static struct kunit_case name_cases[] = {
	KUNIT_CASE(name_valid),
	{}
};

static struct kunit_suite name_suite = {
	.name = "gloom_name",
	.test_cases = name_cases,
};

kunit_test_suites(&core_suite, &table_suite, &name_suite);
