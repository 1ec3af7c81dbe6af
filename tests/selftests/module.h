/* SPDX-License-Identifier: GPL-2.0 */
/* Loading and unloading the module. */
#ifndef GLOOM_TEST_MODULE_H
#define GLOOM_TEST_MODULE_H

#include <sys/syscall.h>
#include <sys/utsname.h>

#include "gloom_test.h"

/*
 * Open gloom.ko: $GLOOM_KO, or where tests and distributions put it. -1 if it
 * is nowhere.
 */
static inline int open_module(void)
{
	static const char *const folders[] = { "extra", "updates",
					       "updates/dkms" };
	const char *path = getenv("GLOOM_KO");
	struct utsname uts;
	char name[256];
	size_t i;
	int fd;

	if (path)
		return open(path, O_RDONLY | O_CLOEXEC);
	fd = open("./gloom.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open("/gloom.ko", O_RDONLY | O_CLOEXEC);
	uname(&uts);
	for (i = 0; fd < 0 && i < ARRAY_SIZE(folders); i++) {
		snprintf(name, sizeof(name), "/lib/modules/%s/%s/gloom.ko",
			 uts.release, folders[i]);
		fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

/* 0 or a negative errno. */
static inline int load_module(int fd)
{
	return syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

/* 0 or a negative errno: -EWOULDBLOCK when it is in use. */
static inline int unload_module(void)
{
	return syscall(SYS_delete_module, "gloom", O_NONBLOCK) ? -errno : 0;
}

/* The same, when what was closed last may still be on its way out. */
static inline int unload_soon(void)
{
	int i, ret;

	for (i = 0; i < 100; i++) {
		ret = unload_module();
		if (ret != -EWOULDBLOCK)
			break;
		sleep_ms(20);
	}
	return ret;
}

#endif /* GLOOM_TEST_MODULE_H */
