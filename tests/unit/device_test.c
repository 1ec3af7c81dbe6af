// SPDX-License-Identifier: GPL-2.0
/*
 * The device backend against a kernel that does as told, see fake_kernel.h: how
 * to come to a filter, what can go wrong, what is known of all filters.
 */
#include <errno.h>
#include <string.h>

#include "device.h"

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
		TEST(no_file_is_left_open),
	};

	return device_run(tests, ARRAY_SIZE(tests));
}
