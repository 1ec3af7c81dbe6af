// SPDX-License-Identifier: GPL-2.0
/*
 * Loading the module while something fails: it is refused and leaves nothing,
 * or it works.
 */

#include "fault.h"
#include "module.h"

FIXTURE(load)
{
	int ko;
};

FIXTURE_SETUP(load)
{
	self->ko = open_module();
	if (self->ko < 0)
		SKIP(return, "no gloom.ko, and no GLOOM_KO that says where");
	ASSERT_TRUE(open_faults());
	ASSERT_EQ(0, unload_soon());
}

FIXTURE_TEARDOWN(load)
{
	if (self->ko >= 0)
		load_module(self->ko);
}

static bool nothing_there(void)
{
	return access("/dev/gloom", F_OK) &&
	       access("/sys/module/gloom", F_OK) &&
	       access("/sys/class/misc/gloom", F_OK) &&
	       access(FILTER_SLAB, F_OK);
}

/* Make a filter, use it, see it go. */
static bool works(void)
{
	int dev = open_device();
	int fd = create_filter(dev, GLOOM_HASH_XXH64, 64, 7);
	bool right = add(fd, "key", 3) == 1 && test(fd, "key", 3) == 1;

	close(fd);
	close(dev);
	return right && !usage().nr_filters;
}

TEST_F_TIMEOUT(load, walk, 600)
{
	unsigned int injected = 0, refused = 0, nth;
	bool failed = true;
	int ret;

	if (self->ko < 0)
		return;
	for (nth = 1; failed && nth < NTH_MAX; nth++) {
		ASSERT_TRUE(nothing_there()) {
			TH_LOG("something is left of fault %u", nth - 1);
		}
		arm(nth);
		ret = load_module(self->ko);
		failed = disarm();
		injected += failed;
		if (ret) {
			refused++;
			ASSERT_TRUE(failed);
			ASSERT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
				TH_LOG("fault %u: %s", nth, strerror(-ret));
			}
			continue;
		}
		ASSERT_TRUE(works()) {
			TH_LOG("does not work after fault %u", nth);
		}
		ASSERT_EQ(0, unload_soon());
	}
	TH_LOG("%u faults: %u times refused, %u times coped with", injected,
	       refused, injected - refused);
	EXPECT_FALSE(failed);
	EXPECT_LT(0, refused);
	EXPECT_EQ(0, load_module(self->ko));
	EXPECT_TRUE(works());
}

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/*
 * What is said of a leak, if anything: when the kernel cannot make a slab cache
 * it loses the name of a kobject, in 6.1.
 */
static bool kernels_own(const char *leak)
{
	return !leak[0] || strstr(leak, "kmem_cache_create");
}

TEST_F_TIMEOUT(load, leaks, 120)
{
	char line[256], leak[8192] = "";
	FILE *file;

	sleep_ms(6000);
	if (!write_text(KMEMLEAK, "scan") || !write_text(KMEMLEAK, "scan"))
		SKIP(return, "no kmemleak in this kernel");
	file = fopen(KMEMLEAK, "re");
	ASSERT_TRUE(!!file);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "unreferenced", 12)) {
			EXPECT_TRUE(kernels_own(leak)) {
				TH_LOG("%s", leak);
			}
			leak[0] = '\0';
		}
		if (strlen(leak) + strlen(line) < sizeof(leak))
			strcat(leak, line);
	}
	EXPECT_TRUE(kernels_own(leak)) {
		TH_LOG("%s", leak);
	}
	fclose(file);
}

FIXTURE(end) { };
FIXTURE_SETUP(end) { }
FIXTURE_TEARDOWN(end) { }

TEST_F(end, nothing_left)
{
	EXPECT_TRUE(usage_is(&end_usage));
}

/* The kernel says, with a stack dump, that a slab cache could not be made. */
TEST_F(end, kernel_log_harmless)
{
	check_log_for_bugs(_metadata);
}

int main(int argc, char **argv)
{
	begin();
	begin_faults();
	write_text(KMEMLEAK, "scan");
	write_text(KMEMLEAK, "clear");
	return test_harness_run(argc, argv);
}
