// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run.h"

struct run run = { .lock = PTHREAD_MUTEX_INITIALIZER };

void oracle(const char *format, ...)
{
	va_list args;

	if (atomic_exchange(&run.failed, true))
		return;
	va_start(args, format);
	vsnprintf(run.why, sizeof(run.why), format, args);
	va_end(args);
}

void call_make(struct call *call, int fd, unsigned int command, void *args,
	       uint32_t size, bool writes)
{
	const uint64_t *field = call->step->field;
	uint32_t told = field[F_SIZE] ? field[F_SIZE] - 1 : size;
	uint32_t whole = told > size && told <= 4097 ? told : size;
	uint8_t bytes[4097] = { 0 };
	struct spot *spot = &call->spot;
	uint32_t there;

	memcpy(bytes, args, size);
	memcpy(bytes, &told, sizeof(told));
	if (whole > size)
		bytes[whole - 1] = field[F_TAIL];
	*spot = memory_place(call->thread, AREA_ARG, field[F_ARG], whole);
	there = whole < spot->readable ? whole : spot->readable;
	memcpy(spot->bytes, bytes, spot->bytes ? there : 0);
	memory_settle(spot);

	call->rc = ioctl(fd, command, (uintptr_t)spot->user) ? -errno : 0;
	call->unknown = spot->shared;
	call->good = told >= size && told <= 4096 && there == whole &&
		     (whole == size || !bytes[whole - 1]) &&
		     (!writes || spot->writable >= size);
	if (call->rc)
		return;
	ORACLE(call->good || call->unknown,
	       "command %x accepts a bad structure", command);
	if (spot->bytes)
		memcpy(args, spot->bytes, size);
}

static int signal_step(const struct step *step, unsigned int thread)
{
	unsigned int other = step->field[F_VALUE] % run.nr_threads;

	if (other == thread)
		return 0;
	return -pthread_kill(run.thread[other], SIGUSR1);
}

int run_step(const struct step *step, unsigned int thread)
{
	switch (step->action) {
	case ACT_CREATE:
	case ACT_OPEN:
	case ACT_UNLINK:
	case ACT_NEXT:
	case ACT_QUERY:
		return device_step(step, thread);
	case ACT_INFO:
		return info_step(step, thread);
	case ACT_ADD:
	case ACT_TEST:
		return key_step(step, thread);
	case ACT_BATCH:
		return batch_step(step, thread);
	case ACT_USER:
		setfsuid(step->field[F_VALUE] & 1 ? 65534 : 0);
		return 0;
	case ACT_SIGNAL:
		return signal_step(step, thread);
	case ACT_SCRIBBLE:
		memory_scribble(step->field[F_VALUE],
				step->field[F_COUNT] % 4096);
		return 0;
	default:
		return file_step(step, thread);
	}
}

void run_begin(const struct sequence *seq)
{
	unsigned int i;

	run.solo = sequence_solo(seq, run.nr_threads);
	run.signals = false;
	for (i = 0; i < seq->nr; i++)
		run.signals |= seq->step[i].action == ACT_SIGNAL;
	run.vague = false;
	run.failed = false;
	memset(run.named, 0, sizeof(run.named));
	for (i = 0; i < NR_SLOTS; i++)
		run.slot[i] = (struct slot){ .fd = -1 };
}

/* Nothing of ours may be left but the files, which the caller closes. */
void run_end(void)
{
	struct gloom_next next = { .size = sizeof(next) };

	while (!ioctl(run.device, GLOOM_IOC_NEXT, &next)) {
		struct gloom_unlink args = { .size = sizeof(args) };

		if (strncmp(next.name, "fuzz-", 5))
			continue;
		memcpy(args.name, next.name, sizeof(args.name));
		ioctl(run.device, GLOOM_IOC_UNLINK, &args);
	}
	model_reset();
}
