// SPDX-License-Identifier: MIT
/* What concerns all filters in the kernel: their names, their limits. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

/* Of the kernel's names every one fits. */
_Static_assert(sizeof(((struct gloom_entry *)0)->name) == GLOOM_NAME_SIZE,
	       "name of an entry");

int gloom_unlink(const char *name)
{
	struct gloom_unlink args = { .size = sizeof(args) };
	struct gloom_query query;
	int fd, err;

	err = gloom_device_name(args.name, name);
	if (err)
		return err;
	fd = gloom_device_open(&query);
	if (fd < 0)
		return fd;
	err = gloom_ioctl(fd, GLOOM_IOC_UNLINK, &args);
	close(fd);
	return err == -ENOENT ? -ENXIO : err;
}

int gloom_list(int (*function)(const struct gloom_entry *entry, void *arg),
	       void *arg)
{
	struct gloom_next next = { .size = sizeof(next) };
	struct gloom_query query;
	int fd, result;

	fd = gloom_device_open(&query);
	if (fd < 0)
		return fd;
	for (;;) {
		struct gloom_entry entry;

		result = gloom_ioctl(fd, GLOOM_IOC_NEXT, &next);
		if (result) {
			if (result == -ENOENT)
				result = 0;
			break;
		}
		entry = (struct gloom_entry){
			.bytes = next.bytes,
			.uid = next.uid,
			.gid = next.gid,
			.mode = next.mode,
		};
		memcpy(entry.name, next.name, sizeof(entry.name));
		result = function(&entry, arg);
		if (result)
			break;
	}
	close(fd);
	return result;
}

int gloom_limits(struct gloom_limits *limits)
{
	struct gloom_query query;
	size_t size = limits->size;
	int fd;

	if (size < sizeof(*limits) || size > SIZE_SANE)
		return -EINVAL;
	fd = gloom_device_open(&query);
	if (fd < 0)
		return fd;
	close(fd);
	memset(limits, 0, size);
	*limits = (struct gloom_limits){
		.size = size,
		.abi = query.abi,
		.max_filter_bytes = query.max_filter_bytes,
		.max_total_bytes = query.max_total_bytes,
		.total_bytes = query.total_bytes,
		.max_filters = query.max_filters,
		.nr_filters = query.nr_filters,
	};
	return 0;
}
