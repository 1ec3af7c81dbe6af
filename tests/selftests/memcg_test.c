// SPDX-License-Identifier: GPL-2.0
/* Memory is the creator's: charged to its memory cgroup, bounded by it. */

#include "gloom_test.h"

#define MIB		(1024 * 1024LL)
#define MIB_BLOCKS	(MIB / GLOOM_BLOCK_SIZE)

FIXTURE(memcg)
{
	int dev;	/* 0: skipped, but the harness goes on */
	char path[64];
	struct gloom_query before;
};

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

/* The number behind @key in a file, or its first one. */
static long long read_number(const char *folder, const char *name,
			     const char *key)
{
	char path[128], line[128];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, strlen(key))) {
			value = atoll(line + strlen(key));
			break;
		}
	}
	if (file)
		fclose(file);
	return value;
}

FIXTURE_SETUP(memcg)
{
	self->before = usage();
	snprintf(self->path, sizeof(self->path), "/sys/fs/cgroup/gloom-%d",
		 getpid());
	if (access("/sys/fs/cgroup/cgroup.subtree_control", W_OK))
		SKIP(return, "no cgroup v2 at /sys/fs/cgroup");
	ASSERT_EQ(0, mkdir(self->path, 0755));
	if (read_number(self->path, "memory.current", "") < 0) {
		rmdir(self->path);
		SKIP(return, "no memory controller for children of the root");
	}
	write_file(self->path, "memory.max", "33554432");
	write_file(self->path, "cgroup.procs", "0");
	/* Opened in the cgroup, for what that takes to be in the sums. */
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(memcg)
{
	if (!self->dev)
		return;
	EXPECT_EQ(0, read_number(self->path, "memory.events", "oom_kill "));
	write_file("/sys/fs/cgroup", "cgroup.procs", "0");
	close(self->dev);
	EXPECT_TRUE(usage_is(&self->before));
	EXPECT_EQ(0, rmdir(self->path));
}

static long long current(FIXTURE_DATA(memcg) *self)
{
	return read_number(self->path, "memory.current", "");
}

static int create_mib(int dev, int mib)
{
	return create_filter(dev, GLOOM_HASH_XXH64, mib * MIB_BLOCKS, 7);
}

TEST_F(memcg, charged)
{
	long long before, with, after;
	int fd, i;

	if (!self->dev)
		return;
	before = current(self);
	fd = create_mib(self->dev, 16);
	ASSERT_LE(0, fd);
	with = current(self);
	EXPECT_LE(before + 16 * MIB, with);
	EXPECT_GE(before + 18 * MIB, with);
	close(fd);
	for (i = 0; i < 100; i++) {
		after = current(self);
		if (after < before + MIB)
			break;
		sleep_ms(20);
	}
	EXPECT_LT(after, before + MIB);
}

/* Too much for the cgroup: an errno, and nobody is killed. */
TEST_F(memcg, bounded)
{
	struct gloom_query before;
	int mib, fd;

	if (!self->dev)
		return;
	before = usage();
	for (mib = 48; mib <= 192; mib += 48) {
		EXPECT_EQ(-ENOMEM, create_mib(self->dev, mib)) {
			TH_LOG("%d MiB", mib);
		}
		EXPECT_TRUE(usage_is(&before));
	}
	fd = create_mib(self->dev, 16);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOMEM, create_mib(self->dev, 24));
	EXPECT_EQ(1, add(fd, "key", 3));
	close(fd);
}

/* Sizes far beyond: by whatever limit, an errno. */
TEST_F(memcg, huge)
{
	int power, ret;

	if (!self->dev)
		return;
	for (power = 20; power < 64; power++) {
		ret = create_filter(self->dev, GLOOM_HASH_XXH64, 1ULL << power,
				    7);
		EXPECT_TRUE(ret == -ENOMEM || ret == -ENOSPC ||
			    (power > 32 && ret == -EINVAL)) {
			TH_LOG("2^%d blocks: %d", power, ret);
		}
	}
}

/* Small filters have more to them than blocks: that is charged too. */
TEST_F(memcg, many_small)
{
	enum { NR = 900 };
	long long before;
	int fds[NR], i;

	if (!self->dev)
		return;
	before = current(self);
	for (i = 0; i < NR; i++) {
		fds[i] = create_filter(self->dev, GLOOM_HASH_XXH64, 1, 7);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_LE(before + NR * (long long)(page_size() + 512), current(self));
	for (i = 0; i < NR; i++)
		close(fds[i]);
}

/* Who only opens a filter does not pay for it. */
TEST_F(memcg, opener_not_charged)
{
	struct gloom_create c = create_args();
	long long before;
	int fd;

	if (!self->dev)
		return;
	unique_name(c.name, "memcg");
	c.nr_blocks = 16 * MIB_BLOCKS;
	write_file("/sys/fs/cgroup", "cgroup.procs", "0");
	ASSERT_LE(0, create(self->dev, &c));
	close(c.fd);

	write_file(self->path, "cgroup.procs", "0");
	before = current(self);
	fd = open_named(self->dev, c.name, 3);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, add(fd, "key", 3));
	EXPECT_LT(current(self), before + MIB);
	EXPECT_EQ(0, unlink_name(self->dev, c.name));
	close(fd);
}

GLOOM_TEST_MAIN
