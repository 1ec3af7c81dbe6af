// SPDX-License-Identifier: GPL-2.0
/* Keys by the device backend: what a local filter answers, in fewer calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define MAX_KEYS	3100
#define POISON		0xa5

static const enum gloom_hash kinds[] = {
	GLOOM_XXH64, GLOOM_XXH3, GLOOM_PREHASHED,
};

static const enum gloom_op ops[] = {
	GLOOM_ADD, GLOOM_TEST, GLOOM_TEST_AND_ADD,
};

static uint8_t data[MAX_KEYS * 16];
static uint32_t lens[MAX_KEYS];

static void fill_data(uint64_t seed)
{
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = random_next(&seed);
}

/* Single operations: the answers and bits of a local filter. */
static void singles_are_as_local(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct gloom_filter *filter = device_create(kinds[i]);
		struct gloom_filter *local = local_create(FAKE_BLOCKS, 5,
							  kinds[i]);

		for (j = 0; j < 1000; j++) {
			uint64_t state = j / 2, key = random_next(&state);

			CHECK_EQ(gloom_test(filter, &key, 8),
				 gloom_test(local, &key, 8));
			if (j % 3)
				CHECK_EQ(gloom_add(filter, &key, 8),
					 gloom_add(local, &key, 8));
			else
				CHECK_EQ(gloom_test_and_add(filter, &key, 8),
					 gloom_test_and_add(local, &key, 8));
		}
		CHECK_EQ(gloom_test(filter, NULL, 0),
			 gloom_test(local, NULL, 0));
		CHECK_EQ(gloom_add(filter, NULL, 0), gloom_add(local, NULL, 0));
		CHECK_EQ(gloom_test_and_add(filter, NULL, 0),
			 gloom_test_and_add(local, NULL, 0));
		CHECK_EQ(gloom_add(filter, NULL, 8), -EFAULT);
		CHECK_EQ(gloom_add(filter, data, 4097), -EMSGSIZE);
		CHECK_EQ(gloom_add(filter, data, SIZE_MAX), -EMSGSIZE);
		CHECK_EQ(local_info(filter).bits_set,
			 local_info(local).bits_set);
		CHECK_EQ(local_info(filter).adds, local_info(local).adds);
		CHECK_EQ(local_info(filter).tests, local_info(local).tests);
		gloom_close(filter);
		gloom_close(local);
	}
}

/* One batch on a kernel filter and on a local one. */
static void check_batch(struct gloom_filter *filter, struct gloom_filter *local,
			enum gloom_op op, const struct gloom_keys *keys)
{
	uint8_t results[2][MAX_KEYS / 8 + 2];
	uint64_t positives[2] = { 97, 98 };
	int64_t ret;

	memset(results, POISON, sizeof(results));
	ret = gloom_batch(filter, op, keys, results[0], &positives[0]);
	CHECK_EQ(ret, gloom_batch(local, op, keys, results[1], &positives[1]));
	CHECK(!memcmp(results[0], results[1], sizeof(results[0])));
	if (ret >= 0)
		CHECK_EQ(positives[0], positives[1]);
	else
		CHECK(positives[0] == 97 && positives[1] == 98);
	CHECK_EQ(local_info(filter).bits_set, local_info(local).bits_set);
	CHECK_EQ(local_info(filter).adds, local_info(local).adds);
}

/* Sizes around those of windows; fixed and variable, with a bad key or none. */
static void batches_are_as_local(void)
{
	static const size_t counts[] = {
		0, 1, 8, 9, 100, 1023, 1024, 1025, 2048, 3000, 3072,
	};
	uint64_t state = 5;
	size_t i, j, op, bad;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct gloom_filter *filter = device_create(kinds[i]);
		struct gloom_filter *local = local_create(FAKE_BLOCKS, 5,
							  kinds[i]);

		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			struct gloom_keys keys = {
				.data = data + 1,
				.nr = counts[j],
				.key_size = 8,
				.lens = lens,
			};

			fill_data(j);
			for (op = 0; op < ARRAY_SIZE(ops); op++)
				check_batch(filter, local, ops[op], &keys);
			keys.key_size = 9;
			check_batch(filter, local, GLOOM_ADD, &keys);
			keys.key_size = 4097;
			check_batch(filter, local, GLOOM_ADD, &keys);
			keys.key_size = 0;
			for (bad = 0; bad < MAX_KEYS; bad++)
				lens[bad] = kinds[i] == GLOOM_PREHASHED ? 8 :
					    random_next(&state) % 16;
			check_batch(filter, local, GLOOM_ADD, &keys);
			for (bad = 0; bad < counts[j]; bad += 1 + bad) {
				const uint32_t len = lens[bad];

				lens[bad] = UINT32_MAX;
				check_batch(filter, local, GLOOM_TEST, &keys);
				lens[bad] = len;
			}
			keys.data = NULL;
			check_batch(filter, local, GLOOM_TEST, &keys);
		}
		gloom_close(filter);
		gloom_close(local);
	}
}

/* The caller gets through all keys by going on where the last call ended. */
static void signals_end_batches_early(void)
{
	static const unsigned int limits[] = { 8, 504, 1016 };
	size_t i, j;

	fill_data(9);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(limits); j++) {
			struct gloom_filter *filter = device_create(kinds[i]);
			struct gloom_keys keys = {
				.data = data,
				.nr = 2000,
				.key_size = 8,
			};
			uint8_t results[250];
			uint64_t positives, sum = 0;
			size_t at = 0;

			memset(results, POISON, sizeof(results));
			fake.keys_per_call = limits[j];
			while (keys.nr) {
				int64_t done = gloom_batch(filter, GLOOM_ADD,
							   &keys,
							   results + at / 8,
							   &positives);
				int64_t shall = keys.nr < limits[j] ?
						keys.nr : limits[j];

				CHECK_EQ(done, shall);
				at += done;
				sum += positives;
				keys.data = data + 8 * at;
				keys.nr -= done;
				if (at / 8 < sizeof(results))
					CHECK_EQ(results[at / 8], POISON);
			}
			CHECK_EQ(sum, local_info(filter).adds_new);
			CHECK_EQ(local_info(filter).adds, 2000);
			gloom_close(filter);
		}
	}
}

/* What was done before an error is not lost. */
static void errors_come_after_what_is_done(void)
{
	struct gloom_filter *filter = device_create(GLOOM_XXH3);
	const struct gloom_keys keys = {
		.data = data,
		.nr = 3000,
		.key_size = 8,
	};
	uint64_t positives = 7;

	fake.errors[NUMBER(GLOOM_IOC_BATCH)] = EFAULT;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, NULL, &positives),
		 -EFAULT);
	CHECK_EQ(positives, 7);
	fake.error_after = 2;
	CHECK_EQ(gloom_batch(filter, GLOOM_ADD, &keys, NULL, &positives), 2048);
	CHECK_EQ(positives, local_info(filter).adds_new);
	CHECK_EQ(gloom_test_and_add(filter, "a", 1), -EFAULT);
	gloom_close(filter);
}

/* More keys than one call can count: several calls, in one go. */
static void many_keys_take_several_calls(void)
{
	struct gloom_filter *filter = device_create(GLOOM_XXH64);
	const size_t nr = 3 * (1 << 20) + 5;
	uint8_t *keys = malloc(nr), *results = malloc(nr / 8 + 1);
	const struct gloom_keys list = {
		.data = keys,
		.nr = nr,
		.key_size = 1,
	};
	uint64_t positives = 0;
	size_t i, ones = 0;

	CHECK(keys && results);
	memset(keys, 'a', nr);
	keys[nr - 1] = 'b';
	CHECK_EQ(gloom_batch(filter, GLOOM_TEST_AND_ADD, &list, results,
			     &positives), nr);
	CHECK(fake.calls > 1);
	CHECK_EQ(positives, 2);
	for (i = 0; i < nr; i++)
		ones += results[i / 8] >> i % 8 & 1;
	CHECK_EQ(ones, 2);
	CHECK(results[0] & 1 && results[(nr - 1) / 8] >> (nr - 1) % 8 & 1);
	free(keys);
	free(results);
	gloom_close(filter);
}

static void access_is_that_of_the_file(void)
{
	const struct gloom_keys keys = {
		.data = "abcdefghijklmnop",
		.nr = 16,
		.key_size = 1,
	};
	struct gloom_filter_info info;
	struct gloom_filter *filter, *reader, *writer;
	uint8_t results[3];
	uint64_t positives;
	size_t i;

	for (i = 0; i < 2; i++) {
		filter = device_create(kinds[i]);
		reader = device_open(O_RDONLY);
		writer = device_open(O_WRONLY);

		/* Who may only add learns nothing of what is there. */
		CHECK_EQ(gloom_add(writer, "q", 1), 0);
		CHECK_EQ(gloom_test(writer, "q", 1), -EBADF);
		CHECK_EQ(gloom_test_and_add(writer, "q", 1), -EBADF);
		memset(results, POISON, sizeof(results));
		positives = 7;
		CHECK_EQ(gloom_batch(writer, GLOOM_ADD, &keys, results,
				     &positives), 16);
		CHECK(!results[0] && !results[1] && results[2] == POISON);
		CHECK_EQ(positives, 0);
		CHECK_EQ(gloom_batch(writer, GLOOM_TEST, &keys, results,
				     &positives), -EBADF);
		CHECK_EQ(gloom_batch(writer, GLOOM_TEST_AND_ADD, &keys, NULL,
				     NULL), -EBADF);
		info = local_info(writer);
		CHECK(!info.has_counters && !info.has_bits_set);
		CHECK_EQ(info.has_seed, kinds[i] != GLOOM_XXH64);

		CHECK_EQ(gloom_test(reader, "q", 1), 1);
		CHECK_EQ(gloom_test(reader, "p", 1), 1);
		CHECK_EQ(gloom_add(reader, "q", 1), -EBADF);
		CHECK_EQ(gloom_test_and_add(reader, "q", 1), -EBADF);
		CHECK_EQ(gloom_batch(reader, GLOOM_TEST, &keys, NULL,
				     &positives), 16);
		CHECK_EQ(positives, 16);
		CHECK_EQ(gloom_batch(reader, GLOOM_ADD, &keys, NULL, NULL),
			 -EBADF);
		info = local_info(reader);
		CHECK(info.has_counters && info.has_bits_set && info.has_seed);
		CHECK_EQ(info.adds, 17);
		gloom_close(filter);
		gloom_close(reader);
		gloom_close(writer);
	}
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(singles_are_as_local),
		TEST(batches_are_as_local),
		TEST(signals_end_batches_early),
		TEST(errors_come_after_what_is_done),
		TEST(many_keys_take_several_calls),
		TEST(access_is_that_of_the_file),
		TEST(no_file_is_left_open),
	};

	return device_run(tests, ARRAY_SIZE(tests));
}
