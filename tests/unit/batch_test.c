// SPDX-License-Identifier: GPL-2.0
/* Batches on local filters: the same as one key after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "local.h"

#define MAX_KEYS	1100
#define POISON		0xa5

static const enum gloom_op ops[] = {
	GLOOM_ADD, GLOOM_TEST, GLOOM_TEST_AND_ADD,
};

static const size_t counts[] = {
	0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 96, 1000, 1024, 1027,
};

/* One byte off any alignment. Keys of 4096 bytes overlap to save memory. */
static uint8_t data[MAX_KEYS * 64 + GLOOM_KEY_MAX + 1];
static uint32_t lens[MAX_KEYS];

static void fill_data(uint64_t seed)
{
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = random_next(&seed);
}

static int one(struct gloom_filter *filter, enum gloom_op op, const void *key,
	       size_t len)
{
	switch (op) {
	case GLOOM_ADD:
		return gloom_add(filter, key, len);
	case GLOOM_TEST:
		return gloom_test(filter, key, len);
	default:
		return gloom_test_and_add(filter, key, len);
	}
}

static void check_same(struct gloom_filter *a, struct gloom_filter *b)
{
	struct gloom_filter_info x = local_info(a), y = local_info(b);

	CHECK_EQ(x.bits_set, y.bits_set);
	CHECK_EQ(x.adds, y.adds);
	CHECK_EQ(x.adds_new, y.adds_new);
	CHECK_EQ(x.tests, y.tests);
	CHECK_EQ(x.positives, y.positives);
}

/* The batch goes to one filter, the single operations to its twin. */
static void check_batch(struct gloom_filter *batched,
			struct gloom_filter *singly, enum gloom_op op,
			const struct gloom_keys *keys)
{
	uint8_t results[MAX_KEYS / 8 + 2], shall[sizeof(results)];
	const uint8_t *key = keys->data;
	uint64_t positives = 99, positive = 0;
	size_t i;

	memset(results, POISON, sizeof(results));
	memset(shall, POISON, sizeof(shall));
	memset(shall, 0, (keys->nr + 7) / 8);
	CHECK_EQ(gloom_batch(batched, op, keys, results, &positives), keys->nr);
	for (i = 0; i < keys->nr; i++) {
		size_t len = keys->key_size ? keys->key_size : keys->lens[i];
		int result = one(singly, op, key, len);

		CHECK(result == 0 || result == 1);
		shall[i / 8] |= result << i % 8;
		positive += result;
		key += len;
	}
	CHECK(!memcmp(results, shall, sizeof(results)));
	CHECK_EQ(positives, positive);
	check_same(batched, singly);
}

static void check_kind(enum gloom_hash hash, size_t key_size)
{
	size_t i, op;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		/* Small, so that some keys are there by chance. */
		const uint64_t blocks = 1 + counts[i] / 64;
		struct gloom_filter *batched = local_create(blocks, 3, hash);
		struct gloom_filter *singly = local_create(blocks, 3, hash);
		const struct gloom_keys keys = {
			.data = data + 1,
			.nr = counts[i],
			.key_size = key_size,
			.lens = lens,
		};

		for (op = 0; op < ARRAY_SIZE(ops); op++) {
			fill_data(op % 2 + i);
			check_batch(batched, singly, ops[op], &keys);
		}
		fill_data(1000 + i);
		check_batch(batched, singly, GLOOM_TEST, &keys);
		check_batch(batched, singly, GLOOM_TEST_AND_ADD, &keys);
		gloom_close(batched);
		gloom_close(singly);
	}
}

static void fixed_keys(void)
{
	static const size_t sizes[] = { 1, 3, 4, 7, 8, 9, 16, 33, 64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_kind(GLOOM_XXH64, sizes[i]);
		check_kind(GLOOM_XXH3, sizes[i]);
	}
}

static void variable_keys(void)
{
	uint64_t state = 3;
	size_t i;

	for (i = 0; i < MAX_KEYS; i++)
		lens[i] = random_next(&state) % 63;
	lens[500] = GLOOM_KEY_MAX;
	lens[0] = 0;
	lens[7] = 0;
	check_kind(GLOOM_XXH64, 0);
	check_kind(GLOOM_XXH3, 0);
}

static void prehashed_keys(void)
{
	size_t i;

	check_kind(GLOOM_PREHASHED, 8);
	for (i = 0; i < MAX_KEYS; i++)
		lens[i] = 8;
	check_kind(GLOOM_PREHASHED, 0);
}

static void longest_keys(void)
{
	struct gloom_filter *batched = local_create(7, 3, GLOOM_XXH3);
	struct gloom_filter *singly = local_create(7, 3, GLOOM_XXH3);
	const struct gloom_keys keys = {
		.data = data,
		.nr = sizeof(data) / GLOOM_KEY_MAX,
		.key_size = GLOOM_KEY_MAX,
	};

	check_batch(batched, singly, GLOOM_ADD, &keys);
	gloom_close(batched);
	gloom_close(singly);
}

static void every_k(void)
{
	const struct gloom_keys keys = {
		.data = data,
		.nr = 100,
		.key_size = 8,
	};
	unsigned int k, op;

	fill_data(17);
	for (k = 1; k <= 16; k++) {
		struct gloom_filter *batched = local_create(3, k, GLOOM_XXH3);
		struct gloom_filter *singly = local_create(3, k, GLOOM_XXH3);

		for (op = 0; op < ARRAY_SIZE(ops); op++)
			check_batch(batched, singly, ops[op], &keys);
		gloom_close(batched);
		gloom_close(singly);
	}
}

static void a_key_twice_is_new_once(void)
{
	struct gloom_filter *filter = local_sized(100, 1e-6, GLOOM_XXH3);
	const struct gloom_keys keys = {
		.data = "aaab",
		.nr = 4,
		.key_size = 1,
	};
	uint8_t results;

	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, NULL), 4);
	CHECK_EQ(results, 1 << 0 | 1 << 3);
	gloom_close(filter);
}

static void results_and_positives_are_optional(void)
{
	struct gloom_filter *filter = local_sized(100, 1e-6, GLOOM_XXH3);
	const struct gloom_keys keys = {
		.data = "abc",
		.nr = 3,
		.key_size = 1,
	};
	uint64_t positives = 7;

	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, NULL, NULL), 3);
	CHECK_EQ(gloom_batch(filter, GLOOM_TEST, &keys, NULL, &positives), 3);
	CHECK_EQ(positives, 3);
	gloom_close(filter);
}

/* A bad key ends the batch; the keys before it are done. */
static void bad_key_ends_the_batch(void)
{
	static const size_t bad_at[] = { 0, 1, 7, 8, 31, 32, 33, 64, 99 };
	uint8_t results[14];
	uint64_t positives;
	size_t i, j;

	fill_data(23);
	for (i = 0; i < ARRAY_SIZE(bad_at); i++) {
		struct gloom_filter *filter = local_sized(1000, 1e-9,
							  GLOOM_XXH3);
		const size_t bad = bad_at[i];
		const struct gloom_keys keys = {
			.data = data,
			.nr = 100,
			.lens = lens,
		};

		for (j = 0; j < 100; j++)
			lens[j] = 8;
		lens[bad] = GLOOM_KEY_MAX + 1;
		memset(results, POISON, sizeof(results));
		positives = 7;
		CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, results,
				     &positives), bad ? (int)bad : -EMSGSIZE);
		CHECK_EQ(positives, bad ? bad : 7);
		for (j = 0; j < (bad + 7) / 8 * 8; j++)
			CHECK_EQ(results[j / 8] >> j % 8 & 1, j < bad);
		for (j = (bad + 7) / 8; j < sizeof(results); j++)
			CHECK_EQ(results[j], POISON);
		for (j = 0; j < 100; j++)
			CHECK_EQ(gloom_test(filter, data + 8 * j, 8), j < bad);
		CHECK_EQ(local_info(filter).adds, bad);
		gloom_close(filter);
	}
}

static void bad_arguments_are_refused(void)
{
	struct gloom_filter *filter = local_sized(1000, 1e-9, GLOOM_XXH3);
	struct gloom_filter *prehashed = local_create(9, 3, GLOOM_PREHASHED);
	struct gloom_keys keys = { .data = "abcdefgh", .nr = 1, .key_size = 8 };
	const uint32_t some_lens[] = { 0, 0, 8 };
	uint64_t positives = 7;
	uint8_t results = POISON;

	CHECK_EQ(gloom_batch(filter, (enum gloom_op)0, &keys, &results,
			     &positives), -EINVAL);
	CHECK_EQ(gloom_batch(filter, (enum gloom_op)4, &keys, &results,
			     &positives), -EINVAL);
	keys.key_size = GLOOM_KEY_MAX + 1;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, &positives),
		 -EMSGSIZE);
	keys.key_size = SIZE_MAX;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, &positives),
		 -EMSGSIZE);
	keys.key_size = 0;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, &positives),
		 -EINVAL);
	keys.key_size = 7;
	CHECK_EQ(gloom_batch(prehashed, GLOOM_ADD, &keys, &results,
			     &positives), -EINVAL);
	keys.data = NULL;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, &positives),
		 -EFAULT);
	CHECK_EQ(results, POISON);
	CHECK_EQ(positives, 7);
	CHECK_EQ(local_info(filter).bits_set, 0);
	CHECK_EQ(local_info(filter).adds, 0);

	/* Empty keys need no address; the first that is not empty does. */
	keys.nr = 3;
	keys.key_size = 0;
	keys.lens = some_lens;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, &results, &positives),
		 2);
	CHECK_EQ(results, 1);
	CHECK_EQ(positives, 1);
	CHECK_EQ(gloom_test(filter, "", 0), 1);

	/* No keys need nothing at all, but an operation. */
	keys = (struct gloom_keys){ .nr = 0 };
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, NULL, &positives), 0);
	CHECK_EQ(positives, 0);
	CHECK_EQ(gloom_batch(filter, (enum gloom_op)4, &keys, NULL, NULL),
		 -EINVAL);
	gloom_close(filter);
	gloom_close(prehashed);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(fixed_keys),
		TEST(variable_keys),
		TEST(prehashed_keys),
		TEST(longest_keys),
		TEST(every_k),
		TEST(a_key_twice_is_new_once),
		TEST(results_and_positives_are_optional),
		TEST(bad_key_ends_the_batch),
		TEST(bad_arguments_are_refused),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
