// SPDX-License-Identifier: GPL-2.0
/* The device backend against a kernel that does as told; see fake_kernel.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "local.h"

#define NUMBER(command)	((command) & 0xff)
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

/* Anonymous, with all of the fake's blocks. */
static struct gloom_filter *device_create(enum gloom_hash hash)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *filter = NULL;

	fake_reset();
	options.flags = GLOOM_SEED;
	options.seed = 0x600d5eed;
	options.nr_blocks = FAKE_BLOCKS;
	options.k = 5;
	options.hash = hash;
	CHECK_EQ(gloom_create(&filter, NULL, &options), 0);
	return filter;
}

/* The filter of device_create() once more, with less access. */
static struct gloom_filter *device_open(int flags)
{
	struct gloom_filter *filter = NULL;
	int fd = fake_filter_file(flags);

	CHECK(fd >= 0);
	CHECK_EQ(gloom_open_fd(&filter, fd), 0);
	close(fd);
	return filter;
}

static void fill_data(uint64_t seed)
{
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = random_next(&seed);
}

static int never(const struct gloom_entry *entry, void *arg)
{
	(void)entry;
	(void)arg;
	return 99;
}

/* All functions that open the device. */
static void check_all_fail(int error)
{
	struct gloom_limits limits = { .size = sizeof(limits) };
	struct gloom_filter *filter = NULL;

	CHECK_EQ(gloom_create(&filter, "name", NULL), error);
	CHECK_EQ(gloom_create(&filter, NULL, NULL), error);
	CHECK_EQ(gloom_open(&filter, "name", GLOOM_READ), error);
	CHECK_EQ(gloom_unlink("name"), error);
	CHECK_EQ(gloom_list(never, NULL), error);
	CHECK_EQ(gloom_limits(&limits), error);
	CHECK(!filter);
}

static void missing_device_is_told_from_a_forbidden_one(void)
{
	static const struct {
		int is, becomes;
	} errors[] = {
		{ ENOENT, -ENOENT }, { ENODEV, -ENOENT }, { ENXIO, -ENOENT },
		{ EACCES, -EACCES }, { EPERM, -EACCES }, { EMFILE, -EMFILE },
		{ ENOMEM, -ENOMEM },
	};
	size_t i;

	fake_reset();
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fake.open_error = errors[i].is;
		check_all_fail(errors[i].becomes);
	}
}

static void other_devices_are_refused(void)
{
	static const int errors[] = { ENOTTY, EINVAL, E2BIG, EFAULT };
	struct gloom_limits limits = { .size = sizeof(limits) };
	size_t i;

	fake_reset();
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fake.errors[NUMBER(GLOOM_IOC_QUERY)] = errors[i];
		check_all_fail(-EPROTO);
	}
	fake_reset();
	fake.abi = 0;
	check_all_fail(-EPROTO);
	fake.abi = GLOOM_ABI;
	fake.layouts = ~(1U << GLOOM_LAYOUT_1);
	check_all_fail(-EPROTO);
	/* Later modules know all that the older ones do. */
	fake.abi = 1000;
	fake.layouts = 0x7fffffff;
	CHECK_EQ(gloom_limits(&limits), 0);
}

static void create_passes_all_options(void)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter_info info = { .size = sizeof(info) };
	struct gloom_filter *filter;
	char name[GLOOM_NAME_SIZE] = "a.name";

	fake_reset();
	options.flags = GLOOM_SEED | GLOOM_NODE;
	options.mode = 0640;
	options.capacity = 1000;
	options.fpr = 0.25;
	options.hash = GLOOM_XXH64;
	options.max_k = 2;
	options.node = 3;
	options.seed = 0x123456789abcdef0;
	CHECK_EQ(gloom_create(&filter, name, &options), 0);
	CHECK_EQ(fake.created.flags, GLOOM_CREATE_NODE);
	CHECK_EQ(fake.created.mode, 0640);
	CHECK_EQ(fake.created.capacity, 1000);
	CHECK_EQ(fake.created.fpr, 1ULL << 62);
	CHECK_EQ(fake.created.hash, GLOOM_HASH_XXH64);
	CHECK_EQ(fake.created.layout, GLOOM_LAYOUT_1);
	CHECK_EQ(fake.created.node, 3);
	CHECK_EQ(fake.created.seed, 0x123456789abcdef0);
	CHECK(fake.created.k >= 1 && fake.created.k <= 2);
	CHECK(fake.created.nr_blocks > 1);
	CHECK(!memcmp(fake.created.name, name, sizeof(name)));

	CHECK_EQ(gloom_info(filter, 0, &info), 0);
	CHECK(!info.local && info.has_seed && info.has_counters);
	CHECK_EQ(info.nr_blocks, fake.created.nr_blocks);
	CHECK_EQ(info.k, fake.created.k);
	CHECK_EQ(info.hash, GLOOM_XXH64);
	CHECK_EQ(info.seed, options.seed);
	CHECK_EQ(info.id, 4711);
	CHECK(info.fpr == 0.25);
	CHECK(!strcmp(info.name, name));
	CHECK(gloom_fd(filter) > 2);
	CHECK_EQ(fcntl(gloom_fd(filter), F_GETFD), FD_CLOEXEC);
	gloom_close(filter);

	/* Without a name, and with a seed from the kernel. */
	memset(name, 0, sizeof(name));
	CHECK_EQ(gloom_create(&filter, NULL, NULL), 0);
	CHECK_EQ(fake.created.flags, GLOOM_CREATE_RANDOM_SEED);
	CHECK_EQ(fake.created.mode, 0600);
	CHECK_EQ(fake.created.hash, GLOOM_HASH_XXH3);
	CHECK_EQ(fake.created.nr_blocks, 1);
	CHECK(!memcmp(fake.created.name, name, sizeof(name)));
	gloom_close(filter);
}

static void kernel_errors_are_passed_on(void)
{
	static const int errors[] = {
		EEXIST, ENOSPC, ENOMEM, EINVAL, EMFILE, EINTR, EACCES,
	};
	struct gloom_filter *filter = NULL;
	size_t i;

	fake_reset();
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fake.errors[NUMBER(GLOOM_IOC_CREATE)] = errors[i];
		fake.errors[NUMBER(GLOOM_IOC_OPEN)] = errors[i];
		fake.errors[NUMBER(GLOOM_IOC_UNLINK)] = errors[i];
		fake.errors[NUMBER(GLOOM_IOC_NEXT)] = errors[i];
		CHECK_EQ(gloom_create(&filter, "name", NULL), -errors[i]);
		CHECK_EQ(gloom_open(&filter, "name", GLOOM_READ), -errors[i]);
		CHECK_EQ(gloom_unlink("name"), -errors[i]);
		CHECK_EQ(gloom_list(never, NULL), -errors[i]);
	}
	fake_reset();
	fake.errors[NUMBER(GLOOM_IOC_INFO)] = ENOMEM;
	CHECK_EQ(gloom_create(&filter, "name", NULL), -ENOMEM);
	CHECK_EQ(gloom_open(&filter, "name", GLOOM_READ), -ENOMEM);
	CHECK(!filter);
}

static void unknown_names_are_told_from_a_missing_device(void)
{
	struct gloom_filter *filter = NULL;

	fake_reset();
	fake.errors[NUMBER(GLOOM_IOC_OPEN)] = ENOENT;
	fake.errors[NUMBER(GLOOM_IOC_UNLINK)] = ENOENT;
	CHECK_EQ(gloom_open(&filter, "name", GLOOM_READ), -ENXIO);
	CHECK_EQ(gloom_unlink("name"), -ENXIO);
	CHECK(!filter);
}

static void names_are_whole(void)
{
	struct gloom_filter *filter = NULL;
	char name[GLOOM_NAME_SIZE + 8];

	fake_reset();
	memset(name, 'n', sizeof(name));
	name[GLOOM_NAME_SIZE] = 0;
	CHECK_EQ(gloom_create(&filter, name, NULL), -EINVAL);
	CHECK_EQ(gloom_open(&filter, name, GLOOM_READ), -EINVAL);
	CHECK_EQ(gloom_unlink(name), -EINVAL);
	CHECK_EQ(gloom_create(&filter, "", NULL), -EINVAL);
	CHECK_EQ(gloom_open(&filter, "", GLOOM_READ), -EINVAL);
	CHECK_EQ(gloom_unlink(""), -EINVAL);
	CHECK_EQ(fake.opened, 0);

	name[GLOOM_NAME_SIZE - 1] = 0;
	CHECK_EQ(gloom_unlink(name), 0);
	CHECK(!strcmp(fake.unlinked.name, name));
	CHECK_EQ(gloom_create(&filter, name, NULL), 0);
	CHECK(!strcmp(fake.created.name, name));
	gloom_close(filter);
	CHECK_EQ(gloom_open(&filter, name, GLOOM_WRITE), 0);
	CHECK(!strcmp(fake.asked.name, name));
	CHECK_EQ(fake.asked.flags, GLOOM_OPEN_WRITE);
	gloom_close(filter);
	CHECK_EQ(gloom_open(&filter, name, 0), -EINVAL);
	CHECK_EQ(gloom_open(&filter, name, 4), -EINVAL);
}

struct listing {
	char text[64];
	unsigned int stop_at, calls;
};

static int take_entry(const struct gloom_entry *entry, void *arg)
{
	struct listing *listing = arg;

	if (entry->bytes != 4096 * (listing->calls + 1) ||
	    entry->uid != 1000 + listing->calls ||
	    entry->gid != 2000 + listing->calls || entry->mode != 0640)
		return -1;
	strcat(listing->text, entry->name);
	strcat(listing->text, " ");
	return ++listing->calls == listing->stop_at ? 42 : 0;
}

static void list_has_all_names(void)
{
	static const char *const names[] = { "a", "b.2", "c", NULL };
	struct listing listing = { .stop_at = 0 };

	fake_reset();
	CHECK_EQ(gloom_list(never, NULL), 0);
	fake.names = names;
	CHECK_EQ(gloom_list(take_entry, &listing), 0);
	CHECK(!strcmp(listing.text, "a b.2 c "));
	listing = (struct listing){ .stop_at = 2 };
	CHECK_EQ(gloom_list(take_entry, &listing), 42);
	CHECK(!strcmp(listing.text, "a b.2 "));
}

static void limits_are_the_kernels(void)
{
	struct {
		struct gloom_limits limits;
		uint64_t more;
	} answer;

	fake_reset();
	memset(&answer, 0xa5, sizeof(answer));
	answer.limits.size = sizeof(answer);
	CHECK_EQ(gloom_limits(&answer.limits), 0);
	CHECK_EQ(answer.limits.abi, GLOOM_ABI);
	CHECK_EQ(answer.limits.max_filter_bytes, 1ULL << 40);
	CHECK_EQ(answer.limits.max_total_bytes, 1ULL << 41);
	CHECK_EQ(answer.limits.total_bytes, 12345);
	CHECK_EQ(answer.limits.max_filters, 67);
	CHECK_EQ(answer.limits.nr_filters, 8);
	CHECK_EQ(answer.more, 0);
	answer.limits.size = sizeof(answer.limits) - 1;
	CHECK_EQ(gloom_limits(&answer.limits), -EINVAL);
	answer.limits.size = SIZE_MAX;
	CHECK_EQ(gloom_limits(&answer.limits), -EINVAL);
}

static void only_files_of_filters_are_taken(void)
{
	struct gloom_filter *filter = device_create(GLOOM_XXH3), *other = NULL;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	CHECK(null >= 0);
	CHECK_EQ(gloom_open_fd(&other, null), -ENOTTY);
	CHECK_EQ(gloom_open_fd(&other, -1), -EBADF);
	close(null);
	CHECK_EQ(gloom_open_fd(&other, null), -EBADF);
	fake.errors[NUMBER(GLOOM_IOC_INFO)] = EINVAL;
	CHECK_EQ(gloom_open_fd(&other, gloom_fd(filter)), -ENOTTY);
	fake.errors[NUMBER(GLOOM_IOC_INFO)] = 0;
	fake.created.layout = 2;
	CHECK_EQ(gloom_open_fd(&other, gloom_fd(filter)), -EPROTO);
	fake.created.layout = 1;
	fake.created.hash = 4;
	CHECK_EQ(gloom_open_fd(&other, gloom_fd(filter)), -EPROTO);
	fake.created.hash = GLOOM_HASH_XXH3;
	CHECK(!other);

	/* A handle has a file of its own, not the caller's. */
	CHECK_EQ(gloom_open_fd(&other, gloom_fd(filter)), 0);
	CHECK(gloom_fd(other) != gloom_fd(filter));
	CHECK_EQ(fcntl(gloom_fd(other), F_GETFD), FD_CLOEXEC);
	gloom_close(filter);
	CHECK_EQ(gloom_add(other, "a", 1), 1);
	gloom_close(other);
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

static unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static unsigned int files_before;

static void no_file_is_left_open(void)
{
	CHECK_EQ(open_files(), files_before);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(missing_device_is_told_from_a_forbidden_one),
		TEST(other_devices_are_refused),
		TEST(create_passes_all_options),
		TEST(kernel_errors_are_passed_on),
		TEST(unknown_names_are_told_from_a_missing_device),
		TEST(names_are_whole),
		TEST(list_has_all_names),
		TEST(limits_are_the_kernels),
		TEST(only_files_of_filters_are_taken),
		TEST(singles_are_as_local),
		TEST(batches_are_as_local),
		TEST(signals_end_batches_early),
		TEST(errors_come_after_what_is_done),
		TEST(many_keys_take_several_calls),
		TEST(access_is_that_of_the_file),
		TEST(no_file_is_left_open),
	};

	fake_reset();
	if (!setjmp(tap_end))
		files_before = open_files();
	return tap_run(tests, ARRAY_SIZE(tests));
}
