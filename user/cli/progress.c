// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "progress.h"

/* Seconds between two lines. */
#define PROGRESS_PERIOD	0.2

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

void progress_start(struct progress *progress, uint64_t total, bool quiet,
		    bool prints)
{
	*progress = (struct progress){
		.total = total,
		.start = seconds(),
	};
	progress->last = progress->start;
	progress->wanted = !quiet && isatty(STDERR_FILENO) &&
			   !(prints && isatty(STDOUT_FILENO));
}

void progress_update(struct progress *progress, uint64_t keys, uint64_t bytes)
{
	char count[FORMAT_SIZE], rate[FORMAT_SIZE];
	double now, elapsed;

	if (!progress->wanted)
		return;
	now = seconds();
	if (now - progress->last < PROGRESS_PERIOD)
		return;
	progress->last = now;
	progress->shown = true;
	elapsed = now - progress->start;
	fprintf(stderr, "\r%s keys, %s keys/s", format_count(count, keys),
		format_count(rate, keys / elapsed));
	/* A file that grows meanwhile has no percentage. */
	if (bytes && bytes <= progress->total) {
		double part = (double)bytes / progress->total;
		uint64_t left = elapsed / part - elapsed;

		fprintf(stderr, ", %.0f%%, %" PRIu64 ":%02d left", part * 100,
			left / 60, (int)(left % 60));
	}
	/* Erase what a longer line left behind. */
	fputs("\033[K", stderr);
}

double progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
	return seconds() - progress->start;
}
