/* SPDX-License-Identifier: MIT */
/*
 * How far a long command has come: a line on stderr that is rewritten, if that
 * is a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;		/* there is a line to clear */
	bool wanted;
	uint64_t total;		/* bytes to read, 0 if not known */
	double start, last;	/* seconds */
};

/*
 * The clock starts. Nothing is shown when quiet, or when stdout is a terminal
 * too and is printed to.
 */
void progress_start(struct progress *progress, uint64_t total, bool quiet,
		    bool prints);

/* Call as often as is convenient. */
void progress_update(struct progress *progress, uint64_t keys, uint64_t bytes);

/* Clear the line. Returns the seconds since the start. */
double progress_end(struct progress *progress);

#endif /* PROGRESS_H */
