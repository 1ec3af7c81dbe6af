// SPDX-License-Identifier: GPL-2.0
/* Filters in local memory, one key at a time. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "local.h"

static const enum gloom_hash kinds[] = {
	GLOOM_XXH64, GLOOM_XXH3, GLOOM_PREHASHED,
};

static void new_once_then_known(void)
{
	struct gloom_filter *filter = local_sized(1000, 1e-6, GLOOM_XXH3);

	CHECK_EQ(gloom_test(filter, "key", 3), 0);
	CHECK_EQ(gloom_add(filter, "key", 3), 1);
	CHECK_EQ(gloom_test(filter, "key", 3), 1);
	CHECK_EQ(gloom_add(filter, "key", 3), 0);
	CHECK_EQ(gloom_test_and_add(filter, "key", 3), 0);
	CHECK_EQ(gloom_test(filter, "yek", 3), 0);
	CHECK_EQ(gloom_test_and_add(filter, "yek", 3), 1);
	CHECK_EQ(gloom_test_and_add(filter, "yek", 3), 0);
	CHECK_EQ(gloom_add(filter, "yek", 3), 0);
	gloom_close(filter);
}

/* At capacity: nothing is missing, and no more is there than was asked for. */
static void rate_at_capacity_is_kept(void)
{
	const unsigned int n = 100000, nr_tests = 400000;
	const double fpr = 0.01;
	size_t i;

	for (i = 0; i < 2; i++) {
		struct gloom_filter *filter = local_sized(n, fpr, kinds[i]);
		unsigned int positives = 0;
		uint64_t key;

		for (key = 0; key < n; key++)
			gloom_add(filter, &key, sizeof(key));
		for (key = 0; key < n; key++)
			CHECK_EQ(gloom_test(filter, &key, sizeof(key)), 1);
		for (; key < n + nr_tests; key++)
			positives += gloom_test(filter, &key, sizeof(key));
		gloom_close(filter);
		printf("# %.4f %% false positives\n",
		       100.0 * positives / nr_tests);
		CHECK(positives <= nr_tests * fpr +
				   3 * sqrt(nr_tests * fpr * (1 - fpr)));
		CHECK(positives >= nr_tests * fpr * 0.9);
	}
}

static void empty_key_is_a_key(void)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		struct gloom_filter *filter = local_sized(1000, 1e-6, kinds[i]);

		CHECK_EQ(gloom_test(filter, NULL, 0), 0);
		CHECK_EQ(gloom_test(filter, "", 0), 0);
		CHECK_EQ(gloom_add(filter, NULL, 0), 1);
		CHECK_EQ(gloom_test(filter, "", 0), 1);
		CHECK_EQ(gloom_add(filter, "x", 0), 0);
		CHECK_EQ(gloom_test(filter, "", 1), 0);
		CHECK_EQ(gloom_add(filter, NULL, 1), -EFAULT);
		CHECK_EQ(gloom_test(filter, NULL, 1), -EFAULT);
		gloom_close(filter);
	}
}

static void nul_does_not_end_a_key(void)
{
	struct gloom_filter *filter = local_sized(1000, 1e-6, GLOOM_XXH3);

	CHECK_EQ(gloom_add(filter, "ab\0cd", 5), 1);
	CHECK_EQ(gloom_test(filter, "ab", 2), 0);
	CHECK_EQ(gloom_test(filter, "ab\0", 3), 0);
	CHECK_EQ(gloom_test(filter, "ab\0ce", 5), 0);
	CHECK_EQ(gloom_test(filter, "ab\0cd", 5), 1);
	gloom_close(filter);
}

/* Half of all keys of one and of two bytes, of which no byte may be lost. */
static void shortest_keys_do_not_collide(void)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		struct gloom_filter *filter = local_sized(40000, 1e-6,
							  kinds[i]);
		unsigned int number, positives = 0;
		uint8_t key[2];

		for (number = 0; number < 256; number += 2) {
			key[0] = number;
			CHECK_EQ(gloom_add(filter, key, 1), 1);
		}
		for (number = 0; number < 65536; number += 2) {
			key[0] = number;
			key[1] = number >> 8;
			CHECK_EQ(gloom_add(filter, key, 2), 1);
		}
		for (number = 0; number < 65536; number++) {
			key[0] = number;
			key[1] = number >> 8;
			if (number < 256 && number % 2 == 0)
				CHECK_EQ(gloom_test(filter, key, 1), 1);
			else if (number < 256)
				positives += gloom_test(filter, key, 1);
			if (number % 2 == 0)
				CHECK_EQ(gloom_test(filter, key, 2), 1);
			else
				positives += gloom_test(filter, key, 2);
		}
		CHECK_EQ(positives, 0);
		gloom_close(filter);
	}
}

/* Keys of zeroes, which differ in nothing but their length. */
static void every_length_is_a_key_of_its_own(void)
{
	static const char zeroes[GLOOM_KEY_MAX + 1];
	size_t i, len;

	for (i = 0; i < 2; i++) {
		struct gloom_filter *filter = local_sized(5000, 1e-9, kinds[i]);

		for (len = 0; len <= GLOOM_KEY_MAX; len++)
			CHECK_EQ(gloom_add(filter, zeroes, len), 1);
		for (len = 0; len <= GLOOM_KEY_MAX; len++)
			CHECK_EQ(gloom_test(filter, zeroes, len), 1);
		CHECK_EQ(gloom_add(filter, zeroes, len), -EMSGSIZE);
		CHECK_EQ(gloom_test(filter, zeroes, len), -EMSGSIZE);
		CHECK_EQ(gloom_test_and_add(filter, zeroes, len), -EMSGSIZE);
		CHECK_EQ(gloom_test(filter, zeroes, SIZE_MAX), -EMSGSIZE);
#if SIZE_MAX > UINT32_MAX
		CHECK_EQ(gloom_test(filter, zeroes, 1UL << 32), -EMSGSIZE);
#endif
		CHECK_EQ(local_info(filter).adds, GLOOM_KEY_MAX + 1);
		gloom_close(filter);
	}
}

/* The caller's hash decides alone: the block by its top, the bits below. */
static void prehashed_keys_are_positions(void)
{
	struct gloom_filter *filter = local_create(2, 5, GLOOM_PREHASHED);
	uint64_t hash = 12345;

	CHECK_EQ(gloom_add(filter, &hash, 8), 1);
	CHECK_EQ(local_info(filter).bits_set, 5);
	hash |= 1ULL << 62;
	CHECK_EQ(gloom_test(filter, &hash, 8), 1);
	hash |= 1ULL << 63;
	CHECK_EQ(gloom_test(filter, &hash, 8), 0);
	CHECK_EQ(gloom_add(filter, &hash, 8), 1);
	CHECK_EQ(local_info(filter).bits_set, 10);
	CHECK_EQ(gloom_add(filter, &hash, 7), -EINVAL);
	CHECK_EQ(gloom_test(filter, "123456789", 9), -EINVAL);
	CHECK_EQ(gloom_test(filter, NULL, 0), -EINVAL);
	CHECK_EQ(gloom_test(filter, NULL, 8), -EFAULT);
	gloom_close(filter);
}

static void info_says_what_was_asked(void)
{
	static const double rates[] = {
		0.01, 0.5, 1 - 0x1p-53, 0x1p-11 + 0x1p-63, 1e-6, 0x1p-64,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(rates); j++) {
			struct gloom_options options = GLOOM_OPTIONS_INIT;
			struct gloom_filter_info info;
			struct gloom_filter *filter;

			options.flags = GLOOM_LOCAL | GLOOM_SEED;
			options.hash = kinds[i];
			options.capacity = 77;
			options.fpr = rates[j];
			options.seed = UINT64_MAX - 1;
			options.mode = 0640;
			CHECK_EQ(gloom_create(&filter, NULL, &options), 0);
			info = local_info(filter);
			gloom_close(filter);
			CHECK(info.local && info.has_seed &&
			      info.has_counters && info.has_bits_set);
			CHECK_EQ(info.hash, kinds[i]);
			CHECK_EQ(info.capacity, 77);
			CHECK_EQ(info.seed, UINT64_MAX - 1);
			CHECK_EQ(info.layout, 1);
			CHECK_EQ(info.node, -1);
			CHECK_EQ(info.generation, 1);
			CHECK_EQ(info.bits_set, 0);
			CHECK_EQ(info.bytes % 4096, 0);
			CHECK(info.bytes >= info.nr_blocks * 64 &&
			      info.bytes < info.nr_blocks * 64 + 65536);
			CHECK(!info.name[0]);
			/* 2^-64 is the unit rates are kept in. */
			CHECK(fabs(info.fpr - rates[j]) <= 0x1p-65);
		}
	}
}

static void explicit_size_is_taken(void)
{
	static const uint64_t blocks[] = { 1, 2, 63, 64, 65, 100000 };
	unsigned int k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		for (k = 1; k <= 16; k++) {
			struct gloom_filter *filter =
				local_create(blocks[i], k, GLOOM_XXH3);
			struct gloom_filter_info info = local_info(filter);

			CHECK_EQ(info.nr_blocks, blocks[i]);
			CHECK_EQ(info.k, k);
			CHECK(info.fpr == 0);
			CHECK_EQ(gloom_add(filter, "a", 1), 1);
			CHECK_EQ(local_info(filter).bits_set, k);
			gloom_close(filter);
		}
	}
}

static void counters_count(void)
{
	struct gloom_filter *filter = local_sized(1000, 1e-9, GLOOM_XXH3);
	struct gloom_filter_info info;
	uint32_t key;

	for (key = 0; key < 10; key++)
		gloom_add(filter, &key, sizeof(key));
	for (key = 5; key < 20; key++)
		gloom_test_and_add(filter, &key, sizeof(key));
	for (key = 0; key < 50; key++)
		gloom_test(filter, &key, sizeof(key));
	gloom_test(filter, NULL, 1);
	info = local_info(filter);
	CHECK_EQ(info.adds, 25);
	CHECK_EQ(info.adds_new, 20);
	CHECK_EQ(info.tests, 50);
	CHECK_EQ(info.positives, 20);
	gloom_close(filter);
}

static void seeds_are_random_unless_given(void)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *a, *b;

	options.flags = GLOOM_LOCAL;
	options.seed = 5;
	CHECK_EQ(gloom_create(&a, NULL, &options), 0);
	CHECK_EQ(gloom_create(&b, NULL, &options), 0);
	CHECK(local_info(a).seed != local_info(b).seed);
	CHECK(local_info(a).seed != 5 && local_info(b).seed != 5);
	gloom_close(a);
	gloom_close(b);
}

/* Each of these alone is wrong. */
static void bad_options_are_refused(void)
{
	const struct gloom_options good = {
		.size = sizeof(good), .flags = GLOOM_LOCAL, .mode = 0600,
		.capacity = 1000, .fpr = 0.01, .hash = GLOOM_XXH3,
	};
	struct gloom_options bad[18];
	struct gloom_filter *filter = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].size = 0;
	bad[1].size = sizeof(good) - 1;
	bad[2].size = SIZE_MAX;
	bad[3].flags |= 1U << 3;
	bad[4].flags |= 1U << 31;
	bad[5].mode = 01600;
	bad[6].mode = 0700;
	bad[7].fpr = NAN;
	bad[8].fpr = 0;
	bad[9].fpr = 1;
	bad[10].hash = (enum gloom_hash)0;
	bad[11].hash = (enum gloom_hash)4;
	bad[12].max_k = 17;
	bad[13].nr_blocks = 1;
	bad[14].k = 1;
	bad[15].nr_blocks = 1;
	bad[15].k = 17;
	bad[16].nr_blocks = GLOOM_BLOCKS_MAX + 1;
	bad[16].k = 1;
	bad[17].flags |= GLOOM_NODE;
	bad[17].node = 1 << 20;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int ret = gloom_create(&filter, NULL, &bad[i]);

		if (ret != -EINVAL)
			printf("# options %zu\n", i);
		CHECK_EQ(ret, -EINVAL);
	}
	CHECK_EQ(gloom_create(&filter, "name", &good), -EINVAL);
	CHECK_EQ(gloom_create(&filter, "", &good), -EINVAL);
	bad[0] = good;
	bad[0].capacity = UINT64_MAX;
	CHECK_EQ(gloom_create(&filter, NULL, &bad[0]), -ERANGE);
	CHECK(!filter);
	CHECK_EQ(gloom_create(&filter, NULL, &good), 0);
	gloom_close(filter);
}

/* Programs of a later version have larger structures. */
static void structures_may_grow(void)
{
	struct {
		struct gloom_options options;
		uint64_t more;
	} larger = { .options = GLOOM_OPTIONS_INIT };
	struct {
		struct gloom_filter_info info;
		uint64_t more;
	} answer;
	struct gloom_filter *filter;

	larger.options.flags = GLOOM_LOCAL;
	larger.options.size = sizeof(larger);
	larger.more = 1ULL << 63;
	CHECK_EQ(gloom_create(&filter, NULL, &larger.options), -EINVAL);
	larger.more = 0;
	CHECK_EQ(gloom_create(&filter, NULL, &larger.options), 0);

	memset(&answer, 0xa5, sizeof(answer));
	answer.info.size = sizeof(answer);
	CHECK_EQ(gloom_info(filter, 0, &answer.info), 0);
	CHECK_EQ(answer.info.size, sizeof(answer));
	CHECK_EQ(answer.more, 0);
	CHECK(!answer.info.has_bits_set && answer.info.bits_set == 0);
	answer.info.size = sizeof(answer.info) - 1;
	CHECK_EQ(gloom_info(filter, 0, &answer.info), -EINVAL);
	answer.info.size = SIZE_MAX;
	CHECK_EQ(gloom_info(filter, 0, &answer.info), -EINVAL);
	answer.info.size = sizeof(answer.info);
	CHECK_EQ(gloom_info(filter, 1U << 1, &answer.info), -EINVAL);
	gloom_close(filter);
}

/* More than there are addresses, or more than there is. */
static void too_much_memory_is_an_error(void)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *filter;

	options.flags = GLOOM_LOCAL;
	options.nr_blocks = GLOOM_BLOCKS_MAX;
	options.k = 1;
	if (sizeof(size_t) == 4) {
		CHECK_EQ(gloom_create(&filter, NULL, &options), -ENOMEM);
		options.nr_blocks = (1 << 26) - 1;
		CHECK_EQ(gloom_create(&filter, NULL, &options), -ENOMEM);
		options.nr_blocks = 1 << 26;
		CHECK_EQ(gloom_create(&filter, NULL, &options), -ENOMEM);
		options.nr_blocks = (1 << 26) + 1;
		CHECK_EQ(gloom_create(&filter, NULL, &options), -ENOMEM);
	} else {
		/* The system may promise it, and then its ends are usable. */
		int ret = gloom_create(&filter, NULL, &options);

		CHECK(ret == 0 || ret == -ENOMEM);
		if (!ret) {
			CHECK_EQ(gloom_add(filter, "a", 1), 1);
			CHECK_EQ(gloom_test(filter, "a", 1), 1);
			gloom_close(filter);
		}
	}
}

static void node_is_asked_for(void)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *filter;
	int ret;

	options.flags = GLOOM_LOCAL | GLOOM_NODE;
	options.capacity = 1000000;
	ret = gloom_create(&filter, NULL, &options);
	/* A kernel may know no nodes at all. */
	CHECK(ret == 0 || ret == -EINVAL);
	if (ret)
		return;
	CHECK_EQ(local_info(filter).node, 0);
	CHECK_EQ(gloom_add(filter, "a", 1), 1);
	gloom_close(filter);
}

static void local_filters_have_no_file(void)
{
	struct gloom_filter *filter = local_create(1, 1, GLOOM_XXH3);

	CHECK_EQ(gloom_fd(filter), -EBADF);
	gloom_close(filter);
	gloom_close(NULL);
}

static void errors_have_sentences(void)
{
	static const int errors[] = {
		0, ENOENT, EACCES, EPROTO, ENXIO, EEXIST, ENOSPC, ENOMEM,
		ERANGE, EINVAL, EMSGSIZE, EBADF, ENOTTY, EFAULT, EINTR, EMFILE,
		99999,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		const char *text = gloom_strerror(-errors[i]);

		CHECK(text == gloom_strerror(errors[i]));
		CHECK(text[0] && !strchr(text, '\n'));
		for (j = 0; j < i; j++)
			CHECK(strcmp(text, gloom_strerror(-errors[j])));
	}
	CHECK(!strcmp(gloom_strerror(INT32_MIN), gloom_strerror(99999)));
	CHECK(strstr(gloom_strerror(-ENOENT), "loaded"));
}

static void version_is_that_of_the_header(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d.%d", GLOOM_VERSION_MAJOR,
		 GLOOM_VERSION_MINOR, GLOOM_VERSION_PATCH);
	CHECK(!strcmp(gloom_version(), text));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(new_once_then_known),
		TEST(rate_at_capacity_is_kept),
		TEST(empty_key_is_a_key),
		TEST(nul_does_not_end_a_key),
		TEST(shortest_keys_do_not_collide),
		TEST(every_length_is_a_key_of_its_own),
		TEST(prehashed_keys_are_positions),
		TEST(info_says_what_was_asked),
		TEST(explicit_size_is_taken),
		TEST(counters_count),
		TEST(seeds_are_random_unless_given),
		TEST(bad_options_are_refused),
		TEST(structures_may_grow),
		TEST(too_much_memory_is_an_error),
		TEST(node_is_asked_for),
		TEST(local_filters_have_no_file),
		TEST(errors_have_sentences),
		TEST(version_is_that_of_the_header),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
