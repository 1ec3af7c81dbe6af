/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel with the module in it, as far as the library can tell: the linker
 * puts these open() and ioctl() before those of the C library. There is one
 * filter; its file, like that of the device, is a real one. What must not be
 * passed to the kernel is refused as <linux/gloom.h> says.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <linux/gloom.h>
#include <stdint.h>

#include <gloom/core.h>

#define FAKE_BLOCKS	64	/* the most a filter can have */
#define FAKE_COMMANDS	0x40

struct fake {
	/* What shall happen. */
	int open_error;			/* open() of the device fails so */
	int errors[FAKE_COMMANDS];	/* or that command, by its number */
	int error_after;		/* but that many times it does not */
	unsigned int keys_per_call;	/* a signal comes then; 0: never */
	unsigned int abi, layouts;
	const char *const *names;	/* for GLOOM_IOC_NEXT, in order */

	/* What has happened. */
	unsigned int opened;		/* the device */
	unsigned int calls;		/* GLOOM_IOC_BATCH */
	struct gloom_create created;
	struct gloom_open asked;
	struct gloom_unlink unlinked;

	/* The filter. */
	struct gloom_block blocks[FAKE_BLOCKS];
	uint64_t adds, adds_new, tests, positives;
};

extern struct fake fake;

/* All as in the beginning: nothing fails, no filter. */
void fake_reset(void);

/* The filter's file with the access of open(2), as passed by somebody. */
int fake_filter_file(int flags);

/* The linker's names for what it puts between. */
int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long command, ...);
int __real_ioctl(int fd, unsigned long command, ...);

#endif /* FAKE_KERNEL_H */
