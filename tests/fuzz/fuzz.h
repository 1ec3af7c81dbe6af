/* SPDX-License-Identifier: GPL-2.0 */
/* What the targets share: taking bytes as values, and saying what is wrong. */
#ifndef FUZZ_H
#define FUZZ_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failed check is a crash: what led to it is kept as a file. */
#define FUZZ_CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: %s\n", __FILE__,	\
				__LINE__, #condition);			\
			abort();					\
		}							\
	} while (0)

/* The same for two integers, which are printed. */
#define FUZZ_EQ(is, shall)						\
	do {								\
		int64_t is_ = (int64_t)(is), shall_ = (int64_t)(shall);	\
									\
		if (is_ != shall_) {					\
			fprintf(stderr, "%s:%d: %s is %" PRId64		\
				", not %" PRId64 "\n", __FILE__,	\
				__LINE__, #is, is_, shall_);		\
			abort();					\
		}							\
	} while (0)

/* Input that is not read yet. Behind its end there are zeroes. */
struct bytes {
	const uint8_t *at, *end;
};

static inline uint64_t take(struct bytes *bytes, unsigned int nr)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < nr && bytes->at < bytes->end; i++)
		value |= (uint64_t)*bytes->at++ << 8 * i;
	return value;
}

/* Up to @nr bytes as they are; returns how many there were. */
static inline size_t take_some(struct bytes *bytes, const uint8_t **at,
			       size_t nr)
{
	size_t left = bytes->end - bytes->at;

	*at = bytes->at;
	if (nr > left)
		nr = left;
	bytes->at += nr;
	return nr;
}

/*
 * Bytes that stand for more: 0xfe, a number and a value stand for 64 times so
 * many of the value. Small inputs can be larger than any buffer.
 */
static inline size_t take_expanded(struct bytes *bytes, char *to, size_t room)
{
	size_t size = 0;

	while (bytes->at < bytes->end && size < room) {
		uint8_t byte = *bytes->at++;
		size_t run = 1;

		if (byte == 0xfe) {
			run = 64 * take(bytes, 1);
			byte = take(bytes, 1);
		}
		if (run > room - size)
			run = room - size;
		memset(to + size, byte, run);
		size += run;
	}
	return size;
}

#endif /* FUZZ_H */
