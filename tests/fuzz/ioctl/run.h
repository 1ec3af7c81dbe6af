/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run of a sequence: its files, who works on them, and what went wrong.
 *
 * Solo runs have all steps on one thread; then it is known exactly what each
 * call has to say. With more threads only what holds in any order is checked,
 * and a file that is closed leaves /dev/null under its number, so that a call
 * which has just taken the number cannot meet another filter.
 */
#ifndef RUN_H
#define RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "model.h"
#include "sequence.h"

struct slot {
	int fd;			/* -1 if there is none */
	struct model *model;	/* NULL if it is no filter, or not known */
	bool read, write;
};

struct run {
	/* For all runs. */
	int device, null;
	unsigned int nr_threads;
	pthread_t thread[MAX_THREADS];

	/* For this one. */
	bool solo;
	bool signals;		/* some may come */
	struct slot slot[NR_SLOTS];
	struct model *named[NR_VALID_NAMES];	/* good if solo */
	pthread_mutex_t lock;	/* for the slots and the list of models */
	char why[256];

	/* an oracle spoke; there are filters that are not known */
	_Atomic bool failed, vague;
};

extern struct run run;

/* The rules are broken. The first that says so is heard. */
void oracle(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

#define ORACLE(condition, ...)		\
	do {				\
		if (!(condition))	\
			oracle(__VA_ARGS__);	\
	} while (0)

/* An ioctl with a structure. */
struct call {
	const struct step *step;
	unsigned int thread;
	int rc;			/* 0 or -errno */
	bool good;		/* the structure is as it must be */
	bool unknown;		/* others wrote to it meanwhile */
	struct spot spot;
};

/*
 * @args: what to pass, @size bytes; if it succeeds, what came back
 * @writes: the command has results
 */
void call_make(struct call *call, int fd, unsigned int command, void *args,
	       uint32_t size, bool writes);

/* files.c: what a step works on, and where it puts a new file */
struct slot file_get(const struct step *step);
void file_put(const struct step *step, struct slot slot);
void file_close(const struct step *step);
int file_step(const struct step *step, unsigned int thread);

/* names.c: commands of the device */
int device_step(const struct step *step, unsigned int thread);

/* keys.c: commands that add and test */
int key_step(const struct step *step, unsigned int thread);
int batch_step(const struct step *step, unsigned int thread);

/* info.c */
int info_step(const struct step *step, unsigned int thread);

/* run.c: 0 or -errno of what the step did */
void run_begin(const struct sequence *seq);
int run_step(const struct step *step, unsigned int thread);
void run_end(void);

#endif /* RUN_H */
