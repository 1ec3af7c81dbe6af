/* SPDX-License-Identifier: MIT */
/*
 * Inside libgloom: what its files share.
 *
 * filter.c has the functions of a handle. It checks arguments, then calls one
 * of two backends: device.c hands keys to the kernel, local.c is a filter in
 * memory of the process. Both take what <linux/gloom.h> describes, so a filter
 * is described in one way only.
 */
#ifndef LIB_H
#define LIB_H

#include <linux/gloom.h>

#include "gloom.h"

/* Structures of programs are smaller: a size above it was not meant as one. */
#define SIZE_SANE	4096

/* Nothing below is part of the interface; calls need no indirection. */
#pragma GCC visibility push(hidden)

/* What a backend does for a filter. */
struct gloom_ops {
	/* One key that is known to be good. Returns 0, 1 or -errno. */
	int (*single)(struct gloom_filter *filter, enum gloom_op op,
		      const void *key, size_t len);
	/* As gloom_batch(), for at least one key; @positives is added to. */
	int64_t (*batch)(struct gloom_filter *filter, enum gloom_op op,
			 const struct gloom_keys *keys, uint8_t *results,
			 uint64_t *positives);
	/* As GLOOM_IOC_INFO; @info->flags is set. */
	int (*info)(struct gloom_filter *filter, struct gloom_info *info);
	/* Frees the filter too. */
	void (*close)(struct gloom_filter *filter);
};

/* What all filters have; constant. Backends put more behind it. */
struct gloom_filter {
	const struct gloom_ops *ops;
	uint64_t nr_blocks;
	uint64_t seed;
	unsigned int k;
	enum gloom_hash hash;
	unsigned int access;	/* GLOOM_READ | GLOOM_WRITE */
	int fd;			/* -EBADF if local */
};

/* local.c. @args->fd and the name are not looked at. */
int gloom_local_create(struct gloom_filter **filter,
		       const struct gloom_create *args);

/* device.c */
int gloom_device_create(struct gloom_filter **filter,
			struct gloom_create *args);

/* ioctl(2) that returns 0 or a negative errno. */
int gloom_ioctl(int fd, unsigned int command, void *args);

/* Opens /dev/gloom and asks what it is: a file descriptor or -errno. */
int gloom_device_open(struct gloom_query *query);

/*
 * Puts a name in the form the kernel wants. -EINVAL if it is empty or too long;
 * the rest is for the kernel to judge.
 */
int gloom_device_name(char to[GLOOM_NAME_SIZE], const char *name);

#pragma GCC visibility pop

#endif /* LIB_H */
