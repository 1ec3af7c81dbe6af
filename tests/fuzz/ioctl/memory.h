/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where arguments are: good, bad and partly good memory, and how much of it the
 * kernel can read and write.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The low byte of a place; the rest is a detail. */
enum place {
	PLACE_OWN,
	PLACE_ODD,		/* not aligned */
	PLACE_END,		/* ends where memory ends */
	PLACE_CUT,		/* memory ends within it */
	PLACE_READ_ONLY,
	PLACE_FRESH,		/* not mapped yet */
	PLACE_SHARED,		/* other threads write to it */
	PLACE_NULL,
	PLACE_GUARD,
	PLACE_KERNEL,
	PLACE_WILD,		/* at the ends of address spaces */
	NR_PLACES
};

enum area { AREA_ARG, AREA_KEYS, AREA_LENS, AREA_RESULTS, NR_AREAS };

#define KEYS_BYTES	(17 * 4096)

struct spot {
	uint64_t user;		/* the address for the kernel */
	uint8_t *bytes;		/* where we write what is there */
	size_t readable;	/* bytes from there on */
	size_t writable;
	bool shared;		/* nobody knows what is there */
	bool fresh;
};

/* Ends the process if there is no memory. */
void memory_init(unsigned int nr_threads);

/* For something of that size. */
struct spot memory_place(unsigned int thread, enum area area, uint64_t place,
			 size_t size);

/* Now that all is written. */
void memory_settle(const struct spot *spot);

/* Writes to shared memory for a while. */
void memory_scribble(uint64_t value, unsigned int count);

#endif /* MEMORY_H */
