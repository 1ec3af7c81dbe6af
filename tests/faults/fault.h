/* SPDX-License-Identifier: GPL-2.0 */
/* Making the kernel's allocations and copies fail, and seeing what that did. */
#ifndef GLOOM_TEST_FAULT_H
#define GLOOM_TEST_FAULT_H

#include "files.h"
#include "gloom_test.h"
#include "kernel_memory.h"

#define FAULT_KNOBS	"/sys/kernel/debug/"

/* ---- Making things fail, in this thread ------------------------------ */

static int fail_nth, make_it_fail;

/* Each process has to open its own, and while it can. */
static inline bool open_faults(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	make_it_fail = open("/proc/thread-self/make-it-fail",
			    O_WRONLY | O_CLOEXEC);
	return fail_nth >= 0 && make_it_fail >= 0;
}

/*
 * Walks go through it all a few times: now and then an allocation needs another
 * one, and those behind it move on by one.
 */
#define PASSES		3
/* More places to fail than any call has. */
#define NTH_MAX		3000

/* Let the n-th allocation or copy from now on fail. */
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

#define FAULTS_MANY	1000000

static inline bool knob(const char *kind, const char *name, long value)
{
	char path[128], text[24];

	snprintf(path, sizeof(path), FAULT_KNOBS "%s/%s", kind, name);
	snprintf(text, sizeof(text), "%ld", value);
	return write_text(path, text);
}

/*
 * Have @percent of a kind fail, "failslab" or "fail_page_alloc", but for the
 * first @spared bytes or pages, between start_failing() and stop_failing().
 */
static inline void set_failing(const char *kind, int percent, long spared)
{
	if (!knob(kind, "space", spared) || !knob(kind, "times", FAULTS_MANY) ||
	    !knob(kind, "probability", percent))
		abort();
}

static inline void start_failing(void)
{
	if (pwrite(make_it_fail, "1", 1, 0) != 1)
		abort();
}

static inline void stop_failing(void)
{
	if (pwrite(make_it_fail, "0", 1, 0) != 1)
		abort();
}

/* No longer have any fail; how many did since set_failing(). */
static inline long end_failing(const char *kind)
{
	char path[128];

	knob(kind, "probability", 0);
	snprintf(path, sizeof(path), FAULT_KNOBS "%s/times", kind);
	return FAULTS_MANY - read_number(path);
}

/*
 * Silent, for threads that ask for it, and allocations that may sleep not left
 * out: in a system call there are hardly others. Ends the program where that is
 * not possible.
 */
static inline void begin_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc",
					     "fail_usercopy" };
	bool able = open_faults();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		able = able && knob(kinds[i], "probability", 0) &&
		       knob(kinds[i], "verbose", 0) &&
		       knob(kinds[i], "interval", 1) &&
		       knob(kinds[i], "task-filter", 1);
	able = able && knob("failslab", "ignore-gfp-wait", 0) &&
	       knob("fail_page_alloc", "ignore-gfp-wait", 0) &&
	       knob("fail_page_alloc", "ignore-gfp-highmem", 0) &&
	       knob("fail_page_alloc", "min-order", 0) &&
	       knob("failslab", "cache-filter", 0);
	if (!able) {
		ksft_print_header();
		ksft_exit_skip("no fault injection in this kernel\n");
	}
}

/* ---- What is there -------------------------------------------------- */

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
	long module_users;
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
	s->module_users = module_users();
	s->areas = vmalloc_areas();
	s->lowest_fd = lowest_fd();
}

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
		if (now.inodes <= before->inodes && now.areas == before->areas)
			return true;
		sleep_ms(100);
	}
	fprintf(stderr, "# inodes %ld -> %ld, areas %d -> %d\n", before->inodes,
		now.inodes, before->areas, now.areas);
	return false;
}

/*
 * Instead of check_log() where the kernel itself says more than that: whether
 * one of its checks found something.
 */
static inline void check_log_for_bugs(struct __test_metadata *_metadata)
{
	static const char *const bad[] = {
		"BUG", "WARNING", "Oops", "KASAN", "KCSAN", "UBSAN", "ODEBUG",
		"general protection", "refcount_t", "unreferenced object",
		"Objects remaining", "possible circular", "blocked for more",
	};
	char line[8192];
	ssize_t len;
	size_t i;

	if (end_kmsg < 0)
		SKIP(return, "no /dev/kmsg");
	for (;;) {
		len = read(end_kmsg, line, sizeof(line) - 1);
		if (len < 0 && errno == EPIPE)
			continue;
		if (len <= 0)
			return;
		line[len] = '\0';
		for (i = 0; i < ARRAY_SIZE(bad); i++)
			EXPECT_FALSE(!!strstr(line, bad[i])) {
				TH_LOG("kernel: %s", line);
			}
	}
}

#endif /* GLOOM_TEST_FAULT_H */
