/* SPDX-License-Identifier: MIT */
/*
 * SIGINT and SIGTERM as a file to poll: a command that loads keys stops between
 * two batches, not in one, and says how far it came.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * From now on the signals only make the file readable. Those that are ignored
 * stay ignored. Returns the file, or -1 if there is none to be had: then they
 * act as ever.
 */
int interrupt_open(void);

/* The signal that came, or 0. */
int interrupt_signal(int fd);

#endif /* INTERRUPT_H */
