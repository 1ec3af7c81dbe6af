/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says: of trouble, of gloom's memory, of its limits. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* From now on. False if the kernel log cannot be read. */
bool watch_open(void);

/* Did it report trouble, or say anything of gloom? Then the line is in text. */
bool watch_trouble(char *text, size_t size);

/* 1: memory of gloom's is leaked, 0: none is, -1: kmemleak is not there. */
int watch_leaks(void);

/* Small limits for filters, so that they are met. Put back at exit. */
void watch_limits(unsigned int nr_filters, unsigned long long bytes);

#endif /* WATCH_H */
