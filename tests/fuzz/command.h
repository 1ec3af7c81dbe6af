/* SPDX-License-Identifier: GPL-2.0 */
/* What the command is compiled or linked with instead of its own or libc's. */
#ifndef COMMAND_H
#define COMMAND_H

#include <poll.h>
#include <sys/types.h>

int gloom_main(int argc, char **argv);
int fuzz_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *to, size_t size);
int __wrap_poll(struct pollfd *files, nfds_t nr, int timeout);

#endif /* COMMAND_H */
