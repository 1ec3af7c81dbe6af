// SPDX-License-Identifier: GPL-2.0
/*
 * What makes it harder: memory cgroups that are too small, processors that go
 * away, and attempts to unload and load the module while it is in use.
 */

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "files.h"
#include "soak.h"

#define CGROUP		"/sys/fs/cgroup/gloom-soak"
#define CGROUP_MIB	8
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

#define MIB_BLOCKS	(1048576 / GLOOM_BLOCK_SIZE)

static int module_fd;

static void count_trouble(enum count what)
{
	__atomic_fetch_add(&shared->troubles.counts[what], 1, __ATOMIC_RELAXED);
}

/* Which of them this machine is able to. */
struct troubles troubles_find(void)
{
	const char *path = getenv("GLOOM_KO");
	char max[16];

	snprintf(max, sizeof(max), "%d", CGROUP_MIB << 20);
	module_fd = open(path ? path : "/gloom.ko", O_RDONLY | O_CLOEXEC);
	mkdir(CGROUP, 0755);
	return (struct troubles){
		.cgroup = write_text(CGROUP "/memory.max", max),
		.cpu = !access(CPU1, W_OK) && read_number(CPU1) == 1,
		.module = module_fd >= 0,
	};
}

static bool key_there(int fd, unsigned int cmd, __u64 key)
{
	struct gloom_key k = {
		.size = sizeof(k),
		.key = (uintptr_t)&key,
		.len = sizeof(key),
	};

	return !xioctl(fd, cmd, &k) && k.result;
}

/* Make, use and drop a filter of so many MiB; 0 or an errno. */
static int use_memory(int dev, __u32 mib, __u64 seed)
{
	struct gloom_create c = {
		.nr_blocks = mib * MIB_BLOCKS,
		.k = 8,
		.hash = GLOOM_HASH_XXH64,
		.mode = 0600,
	};
	int fd = create(dev, &c), i;

	if (fd < 0)
		return fd;
	for (i = 0; i < 100; i++)
		key_there(fd, GLOOM_IOC_ADD, seed + i);
	for (i = 0; i < 100; i++)
		if (!key_there(fd, GLOOM_IOC_TEST, seed + i))
			wrong(WRONG_LOST, "in a cgroup: key %d was added and is not there",
			      i);
	close(fd);
	return 0;
}

/* Filters until there is no memory for another; then drop them all. */
static void use_all_memory(int dev, __u64 seed)
{
	struct gloom_create c = {
		.k = 8,
		.hash = GLOOM_HASH_XXH64,
		.mode = 0600,
	};
	int fds[500], nr, ret = 0;

	for (nr = 0; nr < (int)ARRAY_SIZE(fds); nr++) {
		c.nr_blocks = 1 + mixed(seed + nr) % 4096;
		ret = create(dev, &c);
		if (ret < 0)
			break;
		fds[nr] = ret;
	}
	if (ret != -ENOMEM)
		wrong(WRONG_RESULT, "create without memory in a cgroup: %d",
		      ret);
	while (nr)
		close(fds[--nr]);
}

/*
 * A process in a cgroup of its own. Its own memory is there before, so that a
 * create is all that can fail.
 */
int trouble_cgroup(void)
{
	int dev = open("/dev/gloom", O_RDWR | O_CLOEXEC), ret;
	__u64 seed = mixed(getpid());

	if (mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    !write_text(CGROUP "/cgroup.procs", "0"))
		return 1;
	while (!load(&shared->stop)) {
		__u32 mib = 1 + seed % (CGROUP_MIB / 2);

		ret = use_memory(dev, mib, seed);
		if (ret)
			wrong(WRONG_RESULT, "create of %u MiB in a cgroup: %d",
			      mib, ret);
		count_trouble(COUNT_cgroup_create);

		mib = CGROUP_MIB + 2 + seed % 32;
		ret = use_memory(dev, mib, seed);
		if (ret != -ENOMEM)
			wrong(WRONG_RESULT, "create of %u MiB in a cgroup of %u: %d",
			      mib, CGROUP_MIB, ret);
		use_all_memory(dev, seed);
		count_trouble(COUNT_cgroup_refused);
		seed = mixed(seed);
		usleep(20000);
	}
	return 0;
}

int trouble_cpu(void)
{
	announce_loud();
	while (!load(&shared->stop)) {
		if (write_text(CPU1, "0"))
			count_trouble(COUNT_cpu_off);
		usleep(300000);
		if (write_text(CPU1, "1"))
			count_trouble(COUNT_cpu_on);
		usleep(300000);
	}
	return 0;
}

int trouble_module(void)
{
	while (!load(&shared->stop)) {
		if (!syscall(SYS_delete_module, "gloom", O_NONBLOCK) ||
		    errno != EWOULDBLOCK)
			wrong(WRONG_RESULT, "unloaded while in use: %s",
			      strerror(errno));
		count_trouble(COUNT_unload_refused);
		if (!syscall(SYS_finit_module, module_fd, "", 0) ||
		    errno != EEXIST)
			wrong(WRONG_RESULT, "loaded twice: %s",
			      strerror(errno));
		count_trouble(COUNT_load_refused);
		usleep(500000);
	}
	return 0;
}

/* All of them have ended. Whether nobody was killed for want of memory. */
bool troubles_end(const struct troubles *able)
{
	long kills = 0;
	int i;

	if (able->cpu)
		write_text(CPU1, "1");
	if (able->cgroup)
		kills = read_key(CGROUP "/memory.events", "oom_kill ");
	for (i = 0; i < 100 && rmdir(CGROUP) && errno == EBUSY; i++)
		usleep(20000);
	return !kills;
}
