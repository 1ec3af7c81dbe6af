// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "interrupt.h"

int interrupt_open(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction action;
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		/* Blocking an ignored signal would bring it back to life. */
		if (!sigaction(signals[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	}
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd >= 0)
		sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

int interrupt_signal(int fd)
{
	struct signalfd_siginfo info;

	if (fd < 0 || read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}
