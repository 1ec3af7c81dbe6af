/* SPDX-License-Identifier: MIT */
/*
 * A stream of keys through a filter: one batch read, one batch done.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <gloom.h>

#include "input.h"

/* What the filter is given for a key. */
enum stream_kind {
	STREAM_BYTES,		/* the key */
	STREAM_NUMBERS,		/* the 64-bit number it is, or spells */
	STREAM_HASHES,		/* its stream_hash() */
};

struct stream {
	const char *name;	/* the filter's, for messages */
	struct gloom_filter *filter;
	struct input *input;
	enum gloom_op op;
	enum stream_kind kind;
	bool want_results;
	int error;		/* exit code after a message, else 0 */
	uint64_t keys;		/* done so far */
	uint64_t positives;	/* those with result 1 */
	uint8_t results[INPUT_KEYS / 8];
	uint64_t numbers[INPUT_KEYS];
};

/* A stream that starts with nothing but these. Free it with free(3). */
struct stream *stream_new(const char *name, struct gloom_filter *filter,
			  struct input *input);

/*
 * The next batch. Returns how many keys of it are done: 0 at the end, when a
 * signal came (input->signal) or after an error. keys has them as read.
 */
size_t stream_next(struct stream *stream, struct gloom_keys *keys);

/* Of a key of the last batch, with want_results. */
static inline bool stream_result(const struct stream *stream, size_t key)
{
	return stream->results[key / 8] >> key % 8 & 1;
}

uint64_t stream_hash(const void *key, uint32_t len);

#endif /* STREAM_H */
