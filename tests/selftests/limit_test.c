// SPDX-License-Identifier: GPL-2.0
/* Limits: module parameters, memory cgroups, file descriptors; and leaks. */

#include <sys/resource.h>

#include "gloom_test.h"
#include "kernel_memory.h"

#define PARAMETERS	"/sys/module/gloom/parameters/"

static __u64 get_parameter(const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		abort();
	close(fd);
	return strtoull(text, NULL, 10);
}

static void set_parameter(const char *name, __u64 value)
{
	char path[128], text[32];
	int fd, len;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	len = snprintf(text, sizeof(text), "%llu", value);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, len) != len)
		abort();
	close(fd);
}

FIXTURE(limit)
{
	int dev;
	__u64 filter_bytes, total_bytes, filters;
	struct gloom_query before;
	__u64 page_blocks;	/* blocks of a page */
};

FIXTURE_SETUP(limit)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	self->filter_bytes = get_parameter("max_filter_bytes");
	self->total_bytes = get_parameter("max_total_bytes");
	self->filters = get_parameter("max_filters");
	self->before = usage();
	self->page_blocks = page_size() / GLOOM_BLOCK_SIZE;
}

FIXTURE_TEARDOWN(limit)
{
	set_parameter("max_filter_bytes", self->filter_bytes);
	set_parameter("max_total_bytes", self->total_bytes);
	set_parameter("max_filters", self->filters);
	EXPECT_TRUE(usage_is(&self->before));
	close(self->dev);
}

static int create_blocks(int dev, __u64 nr_blocks)
{
	return create_filter(dev, GLOOM_HASH_XXH64, nr_blocks, 7);
}

TEST_F(limit, query)
{
	struct gloom_query q;

	EXPECT_EQ(self->filter_bytes, self->before.max_filter_bytes);
	EXPECT_EQ(self->total_bytes, self->before.max_total_bytes);
	EXPECT_EQ(self->filters, self->before.max_filters);
	set_parameter("max_filter_bytes", 1234567);
	set_parameter("max_total_bytes", 12345678);
	set_parameter("max_filters", 123);
	q = usage();
	EXPECT_EQ(1234567, q.max_filter_bytes);
	EXPECT_EQ(12345678, q.max_total_bytes);
	EXPECT_EQ(123, q.max_filters);
}

TEST_F(limit, filter_bytes)
{
	int fd;

	set_parameter("max_filter_bytes", 8 * page_size());
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 8 * self->page_blocks + 1));
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 9 * self->page_blocks));
	EXPECT_TRUE(usage_is(&self->before));
	fd = create_blocks(self->dev, 8 * self->page_blocks);
	EXPECT_LE(0, fd);
	close(fd);

	/* What is taken are whole pages. */
	set_parameter("max_filter_bytes", page_size() - 1);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
	set_parameter("max_filter_bytes", 0);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
}

TEST_F(limit, total_bytes)
{
	int five, three;

	set_parameter("max_total_bytes",
		      self->before.total_bytes + 8 * page_size());
	five = create_blocks(self->dev, 5 * self->page_blocks);
	ASSERT_LE(0, five);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 4 * self->page_blocks));
	three = create_blocks(self->dev, 3 * self->page_blocks);
	ASSERT_LE(0, three);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
	close(five);
	five = create_blocks(self->dev, 5 * self->page_blocks);
	EXPECT_LE(0, five);
	close(five);
	close(three);
}

TEST_F(limit, filters)
{
	int a, b;

	set_parameter("max_filters", self->before.nr_filters + 2);
	a = create_blocks(self->dev, 1);
	b = create_blocks(self->dev, 1);
	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
	close(a);
	a = create_blocks(self->dev, 1);
	EXPECT_LE(0, a);
	close(a);
	close(b);
	set_parameter("max_filters", 0);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
}

/* Lowered below what there is: nothing new, but what there is works. */
TEST_F(limit, lowered)
{
	int fd = create_blocks(self->dev, 8 * self->page_blocks);

	ASSERT_LE(0, fd);
	set_parameter("max_total_bytes", page_size());
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
	set_parameter("max_total_bytes", self->total_bytes);
	set_parameter("max_filters", 0);
	EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1));
	EXPECT_EQ(1, add(fd, "key", 3));
	EXPECT_EQ(1, test(fd, "key", 3));
	close(fd);
}

TEST_F(limit, usage_exact)
{
	static const struct {
		__u64 blocks, pages;
	} sizes[] = { { 1, 1 }, { 64, 1 }, { 65, 2 }, { 128, 2 }, { 129, 3 },
		      { 8191, 128 }, { 8192, 128 }, { 32768, 512 },
		      { 32769, 513 } };
	struct gloom_query q;
	size_t s;
	int fd;

	if (page_size() != 4096)
		SKIP(return, "sizes are for pages of 4096 bytes");
	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		fd = create_blocks(self->dev, sizes[s].blocks);
		ASSERT_LE(0, fd);
		q = usage();
		EXPECT_EQ(self->before.nr_filters + 1, q.nr_filters);
		EXPECT_EQ(self->before.total_bytes + sizes[s].pages * 4096,
			  q.total_bytes);
		EXPECT_EQ(sizes[s].pages * 4096, snapshot(fd).bytes);
		close(fd);
		ASSERT_TRUE(usage_is(&self->before));
	}
}

/* Without limits: more than the machine has is refused, and not a word said. */
TEST_F(limit, more_than_memory)
{
	__u64 total = (__u64)meminfo("MemTotal:") * 1024;
	int power;

	set_parameter("max_filter_bytes", 1ULL << 62);
	set_parameter("max_total_bytes", 1ULL << 62);
	for (power = 20; power < 64; power++) {
		if (power <= 32 && (1ULL << power) * 64 < total)
			continue;
		EXPECT_EQ(power <= 32 ? -ENOMEM : -EINVAL,
			  create_blocks(self->dev, 1ULL << power)) {
			TH_LOG("2^%d blocks", power);
		}
	}
}

/* With the limits as they are: no more than the parameter says. */
TEST_F(limit, more_than_allowed)
{
	int power;

	for (power = 10; power <= 32; power++) {
		if ((1ULL << power) * 64 <= self->filter_bytes)
			continue;
		EXPECT_EQ(-ENOSPC, create_blocks(self->dev, 1ULL << power));
	}
}

TEST_F(limit, no_descriptors)
{
	struct rlimit files = { .rlim_max = 1024 };
	char name[GLOOM_NAME_SIZE], other[GLOOM_NAME_SIZE];
	struct gloom_query before;
	int fd;

	unique_name(name, "present");
	unique_name(other, "other");
	fd = create_named(self->dev, name, 0600);
	ASSERT_LE(0, fd);
	before = usage();
	files.rlim_cur = lowest_fd();
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	EXPECT_EQ(-EMFILE, open_named(self->dev, name, GLOOM_OPEN_READ));
	EXPECT_EQ(-EMFILE, create_blocks(self->dev, 1));
	EXPECT_EQ(-EMFILE, create_named(self->dev, other, 0600));

	files.rlim_cur = files.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	EXPECT_TRUE(usage_is(&before));
	EXPECT_EQ(-ENOENT, open_named(self->dev, other, GLOOM_OPEN_READ));
	EXPECT_EQ(0, unlink_name(self->dev, name));
	close(fd);
}

/* 10,000 filters made and closed, or what a minute allows, leave nothing. */
TEST_F_TIMEOUT(limit, create_close_leaks, 150)
{
	enum { NR = 10000, WARM_UP = 1000 };
	struct gloom_create c = create_args();
	struct kernel_memory before;
	time_t end = 0;
	int i, fd;

	for (i = -WARM_UP; i < NR; i++) {
		if (!i) {
			before = kernel_memory();
			end = time(NULL) + 60;
		}
		if (end && time(NULL) >= end) {
			TH_LOG("%d filters in a minute", i);
			break;
		}
		memset(c.name, 0, sizeof(c.name));
		if (i % 3 == 0)
			unique_name(c.name, "leak");
		c.nr_blocks = 1 + 50 * (i % 5 + 5);
		fd = create(self->dev, &c);
		ASSERT_LE(0, fd);
		/* Failing to create must take nothing either. */
		if (i % 3 == 0)
			ASSERT_EQ(-EEXIST, create(self->dev, &c));
		ASSERT_EQ(1, add(fd, "key", 3));
		ASSERT_EQ(0, close(fd));
		if (i % 3 == 0)
			ASSERT_EQ(0, unlink_name(self->dev, c.name));
	}
	EXPECT_TRUE(usage_is(&self->before));
	/* 50 bytes each would be seen. */
	EXPECT_TRUE(kernel_memory_is(&before, 512));
}

GLOOM_TEST_MAIN
