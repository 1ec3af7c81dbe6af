/* SPDX-License-Identifier: GPL-2.0 */
/* Making the kernel's allocations and copies fail, and seeing what that did. */
#ifndef GLOOM_TEST_FAULT_H
#define GLOOM_TEST_FAULT_H

#include "gloom_test.h"
#include "kernel_memory.h"

#define FAULT_KNOBS	"/sys/kernel/debug/"

/* ---- Files ---------------------------------------------------------- */

static inline bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return false;
	len = write(fd, text, strlen(text));
	close(fd);
	return len == (ssize_t)strlen(text);
}

/* The number a file holds, or -1. */
static inline long read_number(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return text[0] ? atol(text) : -1;
}

/* ---- The n-th thing that can fail ----------------------------------- */

static int fail_nth;

/* Each process has to open its own. */
static inline bool open_fail_nth(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth >= 0;
}

/* Let the n-th from now on fail, in this thread. */
static inline void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fail_nth, text, len, 0) != len)
		abort();
}

/* Whether it did. Reading and writing the file can fail like anything else. */
static inline bool disarm(void)
{
	char text[16] = "";
	bool failed = pread(fail_nth, text, sizeof(text), 0) > 0 &&
		      text[0] == '0';

	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	return failed;
}

/* ---- Everything of a kind ------------------------------------------- */

static inline bool knob(const char *kind, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), FAULT_KNOBS "%s/%s", kind, name);
	return write_text(path, value);
}

#define FAULTS_MANY	1000000

/*
 * Let all of a kind fail in this thread, "failslab" or "fail_page_alloc", but
 * for the first @spared bytes or pages.
 */
static inline void fail_all(const char *kind, long spared)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", spared);
	if (!knob(kind, "space", text))
		abort();
	snprintf(text, sizeof(text), "%d", FAULTS_MANY);
	if (!knob(kind, "times", text) || !knob(kind, "probability", "100"))
		abort();
	if (!write_text("/proc/thread-self/make-it-fail", "1"))
		abort();
}

/* How many did. */
static inline long fail_none(const char *kind)
{
	char path[128];

	if (!write_text("/proc/thread-self/make-it-fail", "0"))
		abort();
	knob(kind, "probability", "0");
	snprintf(path, sizeof(path), FAULT_KNOBS "%s/times", kind);
	return FAULTS_MANY - read_number(path);
}

/*
 * Silent, for this thread only, and allocations that may sleep not left out:
 * there are no others in a system call. Ends the program where that is not
 * possible.
 */
static inline void begin_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc",
					     "fail_usercopy" };
	bool able = !access("/proc/self/fail-nth", W_OK) &&
		    !access("/proc/self/make-it-fail", W_OK);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		able = able && knob(kinds[i], "probability", "0") &&
		       knob(kinds[i], "verbose", "0") &&
		       knob(kinds[i], "interval", "1") &&
		       knob(kinds[i], "task-filter", "Y");
	able = able && knob("failslab", "ignore-gfp-wait", "N") &&
	       knob("fail_page_alloc", "ignore-gfp-wait", "N") &&
	       knob("fail_page_alloc", "ignore-gfp-highmem", "N") &&
	       knob("fail_page_alloc", "min-order", "0");
	if (!able) {
		ksft_print_header();
		ksft_exit_skip("no fault injection in this kernel\n");
	}
}

/* ---- What is there -------------------------------------------------- */

#define FILTER_SLAB	"/sys/kernel/slab/gloom_filter/"

/* Inodes of filters, exactly; those freed lately wait for a grace period. */
static inline long filter_objects(void)
{
	write_text(FILTER_SLAB "shrink", "1");
	return read_number(FILTER_SLAB "objects");
}

/* All names, one behind the other. */
struct names {
	int nr;
	char name[16][GLOOM_NAME_SIZE];
};

static inline struct names list_names(int dev)
{
	struct gloom_next n = { };
	struct names all = { };

	while (!next_name(dev, &n) && all.nr < (int)ARRAY_SIZE(all.name))
		memcpy(all.name[all.nr++], n.name, sizeof(n.name));
	return all;
}

/* What a call that failed must leave as it was. @filter may be -1. */
struct state {
	struct gloom_query usage;
	struct gloom_info filter;
	struct names names;
	int areas;
	int lowest_fd;
};

static inline void take_state(struct state *s, int dev, int filter)
{
	memset(s, 0, sizeof(*s));
	s->usage = usage();
	if (filter >= 0)
		s->filter = snapshot(filter);
	s->names = list_names(dev);
	s->areas = vmalloc_areas();
	s->lowest_fd = lowest_fd();
}

/* The objects of /sys/kernel/slab and areas of memory, at a quiet moment. */
struct kernel_objects {
	long inodes;
	int areas;
};

static inline struct kernel_objects kernel_objects(void)
{
	return (struct kernel_objects){
		.inodes = filter_objects(),
		.areas = vmalloc_areas(),
	};
}

static inline bool kernel_objects_are(const struct kernel_objects *before)
{
	struct kernel_objects now;
	int i;

	for (i = 0; i < 50; i++) {
		now = kernel_objects();
		if (now.inodes == before->inodes && now.areas == before->areas)
			return true;
		sleep_ms(100);
	}
	fprintf(stderr, "# inodes %ld -> %ld, areas %d -> %d\n", before->inodes,
		now.inodes, before->areas, now.areas);
	return false;
}

#endif /* GLOOM_TEST_FAULT_H */
