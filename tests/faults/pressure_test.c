// SPDX-License-Identifier: GPL-2.0
/*
 * From some point on no memory is to be had, for objects or for pages: what a
 * single failure does not show, because it is made up for by a second try.
 */

#include <limits.h>
#include <sys/resource.h>

#include "fault.h"

FIXTURE(pressure)
{
	int dev;
	int filter;
	struct kernel_objects objects;
	struct gloom_query usage;
};

FIXTURE_SETUP(pressure)
{
	self->objects = kernel_objects();
	self->usage = usage();
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	ASSERT_TRUE(open_faults());
	self->filter = create_filter(self->dev, GLOOM_HASH_XXH64, 64, 7);
	ASSERT_LE(0, self->filter);
}

FIXTURE_TEARDOWN(pressure)
{
	close(self->filter);
	close(self->dev);
	EXPECT_TRUE(usage_is(&self->usage));
	EXPECT_TRUE(kernel_objects_are(&self->objects));
}

/*
 * Create a named filter with ever more memory to be had, until it is enough. 0,
 * or what went wrong.
 */
static int create_with(FIXTURE_DATA(pressure) *self, const char *kind,
		       __u64 nr_blocks, long step, long *faults)
{
	struct gloom_create c = create_args();
	struct state before, after;
	int ret, refused = 0;
	long spared, now = 1;

	unique_name(c.name, kind);
	c.nr_blocks = nr_blocks;
	for (spared = 0; now && spared < 1000 * step; spared += step) {
		take_state(&before, self->dev, self->filter);
		set_failing(kind, 100, spared);
		start_failing();
		ret = create(self->dev, &c);
		stop_failing();
		now = end_failing(kind);
		*faults += now;
		if (ret >= 0) {
			unlink_name(self->dev, c.name);
			close(ret);
			continue;
		}
		if (ret != -ENOMEM)
			return ret;
		refused++;
		take_state(&after, self->dev, self->filter);
		if (memcmp(&before, &after, sizeof(after)))
			return -EUCLEAN;
	}
	fprintf(stderr, "# %llu blocks: refused %d times, enough with %ld\n",
		nr_blocks, refused, spared - step);
	return now ? -ENOMEM : refused ? 0 : -ENODATA;
}

/*
 * That all objects fail is only possible for some caches: when even a second
 * try for what describes vmalloc memory fails, the kernel warns. The kernel has
 * to be told at boot which ones those are.
 */
#define FAILSLAB_CACHES	"slub_debug=A,gloom_filter,kmalloc-*,dentry,filp"

static bool aim_at_caches(void)
{
	return knob("failslab", "cache-filter", 1) &&
	       read_number(FILTER_SLAB "failslab") == 1;
}

TEST_F_TIMEOUT(pressure, no_objects, 120)
{
	long faults = 0;

	if (!aim_at_caches())
		SKIP(return, "not booted with " FAILSLAB_CACHES);

	EXPECT_EQ(0, create_with(self, "failslab", 1, 16, &faults));
	EXPECT_EQ(0, create_with(self, "failslab", 40000, 64, &faults));
	TH_LOG("%ld faults", faults);
	EXPECT_LT(0, faults);
}

TEST_F_TIMEOUT(pressure, no_pages, 120)
{
	long faults = 0;

	EXPECT_EQ(0, create_with(self, "fail_page_alloc", 1, 1, &faults));
	EXPECT_EQ(0, create_with(self, "fail_page_alloc", 4096, 1, &faults));
	EXPECT_EQ(0, create_with(self, "fail_page_alloc", 40000, 16, &faults));
	TH_LOG("%ld faults", faults);
	EXPECT_LT(0, faults);
}

/* Keep the worker that fills up percpu memory from running on this CPU. */
static bool outrun_workers(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus) &&
	       write_text("/proc/sys/kernel/sched_rt_runtime_us", "-1") &&
	       !sched_setscheduler(0, SCHED_FIFO, &param);
}

/*
 * Counters need pages of percpu memory only once in a while. When a create that
 * succeeds made that grow, those before it, refused with ever more pages to be
 * had, were refused these as well.
 */
TEST_F_TIMEOUT(pressure, no_percpu, 120)
{
	enum { NR = 3000, WANTED = 4 };
	const struct rlimit limit = { NR + 100, NR + 100 };
	int nr, grown = 0, refused = 0, i, ret;
	long spared, faults = 0, size;
	int *fds = shared(NR * sizeof(*fds));

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_TRUE(outrun_workers());
	for (nr = 0; nr < NR && grown < WANTED; nr++) {
		size = meminfo("Percpu:");
		for (spared = 0; spared < 32; spared++) {
			set_failing("fail_page_alloc", 100, spared);
			start_failing();
			ret = create_filter(self->dev, GLOOM_HASH_XXH64, 1, 7);
			stop_failing();
			faults += end_failing("fail_page_alloc");
			if (ret >= 0)
				break;
			ASSERT_EQ(-ENOMEM, ret);
			refused++;
		}
		fds[nr] = ret;
		ASSERT_LE(0, fds[nr]);
		grown += meminfo("Percpu:") > size;
	}
	TH_LOG("%ld faults; of %d creates %d had percpu memory grow", faults,
	       nr, grown);
	EXPECT_LT(0, refused);
	EXPECT_EQ(WANTED, grown);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	/* So many take long to be freed. */
	self->objects.inodes = LONG_MAX;
}

/* One call of many kinds; whether what it returned is documented. */
static bool storm(FIXTURE_DATA(pressure) *self, __u64 seed, int *refused)
{
	static char key[GLOOM_KEY_MAX];
	struct gloom_create c = create_args();
	struct gloom_next n = { };
	struct gloom_info info;
	struct gloom_batch b;
	bool allocates = true;
	__u8 results[8];
	int ret;

	snprintf(c.name, sizeof(c.name), NAME_PREFIX "many.%d",
		 (int)(seed % 8));
	memcpy(key, &seed, sizeof(seed));
	switch (seed / 8 % 8) {
	case 0:
		c.nr_blocks = 1 + seed / 64 % 5000;
		ret = create(self->dev, &c);
		break;
	case 1:
		ret = open_named(self->dev, c.name, 1 + seed / 64 % 3);
		break;
	case 2:
		ret = unlink_name(self->dev, c.name);
		allocates = false;
		break;
	case 3:
		ret = next_name(self->dev, &n);
		allocates = false;
		break;
	case 4:
		ret = get_info(self->filter, GLOOM_INFO_BITS_SET, &info);
		allocates = false;
		break;
	case 5:
		ret = add(self->filter, key, sizeof(key));
		break;
	case 6:
		ret = test(self->filter, key, 8);
		allocates = false;
		break;
	default:
		b = batch_args(1 + seed / 64 % 3, key, 64, 64, results);
		ret = batch(self->filter, &b);
		break;
	}
	if (ret >= 0) {
		if (seed / 8 % 8 < 2)
			close(ret);
		return true;
	}
	if (ret == -ENOMEM) {
		(*refused)++;
		return allocates;
	}
	return ret == -ENOENT ? seed / 8 % 8 >= 1 && seed / 8 % 8 <= 3 :
	       ret == -EEXIST && seed / 8 % 8 == 0;
}

TEST_F_TIMEOUT(pressure, storm, 120)
{
	long objects, pages;
	int refused = 0, i;

	if (!aim_at_caches())
		SKIP(return, "not booted with " FAILSLAB_CACHES);
	set_failing("failslab", 15, 0);
	set_failing("fail_page_alloc", 25, 0);
	start_failing();
	for (i = 0; i < 5000; i++) {
		ASSERT_TRUE(storm(self, mixed(i), &refused)) {
			TH_LOG("call %d: %s", i, strerror(errno));
		}
	}
	stop_failing();
	objects = end_failing("failslab");
	pages = end_failing("fail_page_alloc");
	TH_LOG("%ld objects and %ld pages refused, %d calls", objects, pages,
	       refused);
	EXPECT_LT(0, objects);
	EXPECT_LT(0, pages);
	EXPECT_LT(0, refused);
	remove_names();
}

FIXTURE(end) { };
FIXTURE_SETUP(end) { }
FIXTURE_TEARDOWN(end) { }

TEST_F(end, nothing_left)
{
	EXPECT_EQ(0, remove_names());
	EXPECT_TRUE(usage_is(&end_usage));
}

/* That memory is out is said; nothing else is. */
TEST_F(end, kernel_log_harmless)
{
	check_log_for_bugs(_metadata);
}

int main(int argc, char **argv)
{
	begin();
	begin_faults();
	return test_harness_run(argc, argv);
}
