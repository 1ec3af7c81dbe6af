/* SPDX-License-Identifier: GPL-2.0 */
/* Filters in the fake kernel, and what the tests of them share. */
#ifndef DEVICE_H
#define DEVICE_H

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "local.h"

#define NUMBER(command)	((command) & 0xff)

/* Anonymous, with all of the fake's blocks. */
static inline struct gloom_filter *device_create(enum gloom_hash hash)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_filter *filter = NULL;

	fake_reset();
	options.flags = GLOOM_SEED;
	options.seed = 0x600d5eed;
	options.nr_blocks = FAKE_BLOCKS;
	options.k = 5;
	options.hash = hash;
	CHECK_EQ(gloom_create(&filter, NULL, &options), 0);
	return filter;
}

/* The filter of device_create() once more, with less access. */
static inline struct gloom_filter *device_open(int flags)
{
	struct gloom_filter *filter = NULL;
	int fd = fake_filter_file(flags);

	CHECK(fd >= 0);
	CHECK_EQ(gloom_open_fd(&filter, fd), 0);
	close(fd);
	return filter;
}

static inline unsigned int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static unsigned int files_before;

static inline void no_file_is_left_open(void)
{
	CHECK_EQ(open_files(), files_before);
}

/* Counts the files first, for no_file_is_left_open() at the end. */
static inline int device_run(const struct tap_test *tests, unsigned int nr)
{
	fake_reset();
	if (!setjmp(tap_end))
		files_before = open_files();
	return tap_run(tests, nr);
}

#endif /* DEVICE_H */
