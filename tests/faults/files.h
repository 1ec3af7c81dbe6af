/* SPDX-License-Identifier: GPL-2.0 */
/* Small files that the kernel makes, and what can be learnt from them. */
#ifndef GLOOM_TEST_FILES_H
#define GLOOM_TEST_FILES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The number that follows @key in a file, or with "" its first, or -1. */
static inline long read_key(const char *path, const char *key)
{
	char text[4096] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *at;

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	at = strstr(text, key);
	return at && text[0] ? atol(at + strlen(key)) : -1;
}

static inline long read_number(const char *path)
{
	return read_key(path, "");
}

#define FILTER_SLAB	"/sys/kernel/slab/gloom_filter/"

/*
 * Inodes of filters, exactly; those freed lately wait for a grace period. -1 if
 * the kernel does not tell.
 */
static inline long filter_objects(void)
{
	write_text(FILTER_SLAB "shrink", "1");
	return read_number(FILTER_SLAB "objects");
}

/* References to the module: of open files, and of its filesystem. */
static inline long module_users(void)
{
	return read_number("/sys/module/gloom/refcnt");
}

#endif /* GLOOM_TEST_FILES_H */
