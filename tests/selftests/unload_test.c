// SPDX-License-Identifier: GPL-2.0
/* Unloading the module: refused while it is in use, harmless otherwise. */

#include "gloom_test.h"
#include "module.h"

FIXTURE(unload)
{
	int ko;
	char name[GLOOM_NAME_SIZE];
};

FIXTURE_SETUP(unload)
{
	self->ko = open_module();
	if (self->ko < 0)
		SKIP(return, "no gloom.ko, and no GLOOM_KO that says where");
	unique_name(self->name, "unload");
}

/* In any case it is loaded for the tests to come. */
FIXTURE_TEARDOWN(unload)
{
	if (self->ko >= 0)
		load_module(self->ko);
}

TEST_F(unload, unused)
{
	if (self->ko < 0)
		return;
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(-ENOENT, unload_module());
	EXPECT_EQ(-1, open_device());
	EXPECT_EQ(-1, access("/dev/gloom", F_OK));
	EXPECT_EQ(0, load_module(self->ko));
	EXPECT_EQ(-EEXIST, load_module(self->ko));
	EXPECT_LE(0, open_device());
}

TEST_F(unload, device_open)
{
	int dev;

	if (self->ko < 0)
		return;
	dev = open_device();
	EXPECT_EQ(-EWOULDBLOCK, unload_module());
	close(dev);
	EXPECT_EQ(0, unload_soon());
}

TEST_F(unload, filter_open)
{
	int dev, fd;

	if (self->ko < 0)
		return;
	dev = open_device();
	fd = create_filter(dev, GLOOM_HASH_XXH64, 64, 7);
	ASSERT_LE(0, fd);
	close(dev);
	EXPECT_EQ(-EWOULDBLOCK, unload_module());
	EXPECT_EQ(1, add(fd, "key", 3));
	EXPECT_EQ(1, test(fd, "key", 3));
	close(fd);
	EXPECT_EQ(0, unload_soon());
}

/* A name that nobody has open is data all the same. */
TEST_F(unload, name_left)
{
	int dev, fd;

	if (self->ko < 0)
		return;
	dev = open_device();
	fd = create_named(dev, self->name, 0600);
	ASSERT_EQ(1, add(fd, "key", 3));
	close(fd);
	close(dev);
	EXPECT_EQ(-EWOULDBLOCK, unload_module());
	sleep_ms(200);
	EXPECT_EQ(-EWOULDBLOCK, unload_module());

	dev = open_device();
	fd = open_named(dev, self->name, GLOOM_OPEN_READ);
	EXPECT_EQ(1, test(fd, "key", 3));
	EXPECT_EQ(0, unlink_name(dev, self->name));
	close(dev);
	EXPECT_EQ(-EWOULDBLOCK, unload_module());
	close(fd);
	EXPECT_EQ(0, unload_soon());
}

/* Parameters come back as they were, filters do not. */
TEST_F(unload, starts_anew)
{
	struct gloom_query before, after;

	if (self->ko < 0)
		return;
	before = usage();
	ASSERT_EQ(0, unload_soon());
	ASSERT_EQ(0, load_module(self->ko));
	after = usage();
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	EXPECT_EQ(0, after.nr_filters);
}

/* Shared by those at work and the one that takes the module away. */
struct work {
	__u32 done;
	/* Pauses are shorter than that; for all to be out of it at times. */
	__u32 pause_ms;
};

static void work(unsigned int seed, struct work *work)
{
	struct gloom_next n = { };
	char name[GLOOM_NAME_SIZE];
	int dev, fd;

	for (;; seed++) {
		sleep_ms(mixed(seed) % work->pause_ms);
		dev = open_device();
		if (dev < 0)
			continue;
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), NAME_PREFIX "work.%d", getpid());
		if (seed % 2)
			name[0] = '\0';
		fd = create_named(dev, name, 0600);
		/* Sometimes the filter is the last that holds the module. */
		if (seed % 3 == 0) {
			unlink_name(dev, name);
			close(dev);
			dev = -1;
		}
		if (fd >= 0 && add(fd, &seed, sizeof(seed)) >= 0)
			__atomic_fetch_add(&work->done, 1, __ATOMIC_RELAXED);
		close(fd);
		if (dev >= 0) {
			next_name(dev, &n);
			unlink_name(dev, name);
			close(dev);
		}
	}
}

TEST_F_TIMEOUT(unload, against_workers, 120)
{
	enum { WORKERS = 8, SECONDS = 10 };
	struct work *shared_work = shared(sizeof(*shared_work));
	time_t begin = time(NULL), now = begin;
	int unloaded = 0, busy = 0;
	pid_t pids[WORKERS];
	int i, ret;

	if (self->ko < 0)
		return;
	shared_work->pause_ms = 8;
	for (i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i])
			work(1000 * i, shared_work);
	}
	while (now < begin + SECONDS || (!unloaded && now < begin + 60)) {
		now = time(NULL);
		ret = unload_module();
		if (ret == -EWOULDBLOCK) {
			busy++;
			/* On a slow machine somebody is always in it. */
			if (!unloaded && now >= begin + SECONDS)
				shared_work->pause_ms = 1000;
			continue;
		}
		EXPECT_EQ(0, ret);
		unloaded++;
		ASSERT_EQ(0, load_module(self->ko));
	}
	for (i = 0; i < WORKERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	remove_names();
	TH_LOG("unloaded %d times, busy %d times, %u filters made", unloaded,
	       busy, shared_work->done);
	EXPECT_LT(0, unloaded);
	EXPECT_LT(0, busy);
	EXPECT_LT(0, shared_work->done);
	EXPECT_EQ(0, unload_soon());
}

GLOOM_TEST_MAIN_LOUD
