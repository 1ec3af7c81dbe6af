/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says of its own memory, to see leaks by. */
#ifndef GLOOM_TEST_KERNEL_MEMORY_H
#define GLOOM_TEST_KERNEL_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/meminfo, in KiB; @key with its colon. */
static inline long meminfo(const char *key)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = atol(line + strlen(key));
	if (file)
		fclose(file);
	return value;
}

/* Areas of vmalloc memory that the module allocated, or -1. */
static inline int vmalloc_areas(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "re");
	char line[512];
	int nr = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		nr += !!strstr(line, "[gloom]");
	fclose(file);
	return nr;
}

/*
 * Slab memory in use, in KiB. Kernels that look for leaks themselves keep notes
 * on every object and hold back what was freed: that says nothing there.
 */
static inline long slab_memory(void)
{
	return access("/sys/kernel/debug/kmemleak", F_OK) ?
	       meminfo("SUnreclaim:") : 0;
}

struct kernel_memory {
	int areas;
	long percpu, slab, vmalloc;
};

static inline struct kernel_memory kernel_memory(void)
{
	return (struct kernel_memory){
		.areas = vmalloc_areas(),
		.percpu = meminfo("Percpu:"),
		.slab = slab_memory(),
		.vmalloc = meminfo("VmallocUsed:"),
	};
}

/*
 * Is as much in use as before, to within @slack KiB of what the kernel itself
 * may have taken? What is freed after a grace period is waited for.
 */
static inline bool kernel_memory_is(const struct kernel_memory *before,
				    long slack)
{
	struct kernel_memory now;
	int i;

	for (i = 0; i < 50; i++) {
		now = kernel_memory();
		if (now.areas <= before->areas &&
		    now.percpu <= before->percpu + slack &&
		    now.slab <= before->slab + slack &&
		    now.vmalloc <= before->vmalloc + slack)
			return true;
		usleep(100000);
	}
	fprintf(stderr, "# areas %d -> %d, KiB: percpu %ld -> %ld, slab %ld -> %ld, vmalloc %ld -> %ld\n",
		before->areas, now.areas, before->percpu, now.percpu,
		before->slab, now.slab, before->vmalloc, now.vmalloc);
	return false;
}

#endif /* GLOOM_TEST_KERNEL_MEMORY_H */
