// SPDX-License-Identifier: MIT
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "cli.h"
#include "filter.h"
#include "number.h"
#include "stream.h"

struct stream *stream_new(const char *name, struct gloom_filter *filter,
			  struct input *input)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		out_of_memory();
	stream->name = name;
	stream->filter = filter;
	stream->input = input;
	return stream;
}

uint64_t stream_hash(const void *key, uint32_t len)
{
	return XXH3_64bits(key, len);
}

static bool key_number(const struct stream *stream, const char *key,
		       uint32_t len, uint64_t *number)
{
	if (stream->input->format != INPUT_LEN32)
		return number_word(key, len, number);
	if (len != sizeof(*number))
		return false;
	memcpy(number, key, sizeof(*number));
	*number = le64toh(*number);
	return true;
}

static void key_bad(struct stream *stream, size_t key)
{
	message(stream->input->name,
		"key %" PRIu64 " is not a 64-bit hash (%s), as prehashed filters need",
		stream->input->keys - key,
		stream->input->format == INPUT_LEN32 ?
		"8 bytes" : "a decimal number, or 0x and hexadecimal digits");
	stream->error = CLI_ERROR;
}

/* Turn keys into numbers up to the first that is none. */
static void stream_convert(struct stream *stream, struct gloom_keys *keys)
{
	const char *key = keys->data;
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		uint32_t len = keys->lens[i];

		if (stream->kind == STREAM_HASHES) {
			stream->numbers[i] = stream_hash(key, len);
		} else if (!key_number(stream, key, len,
				       &stream->numbers[i])) {
			key_bad(stream, keys->nr - 1 - i);
			break;
		}
		key += len;
	}
	*keys = (struct gloom_keys){
		.data = stream->numbers,
		.nr = i,
		.key_size = sizeof(*stream->numbers),
	};
}

static const char *keys_skip(const struct gloom_keys *keys, size_t nr)
{
	const char *data = keys->data;
	size_t i;

	if (keys->key_size)
		return data + nr * keys->key_size;
	for (i = 0; i < nr; i++)
		data += keys->lens[i];
	return data;
}

/* All keys of a batch, however often a signal ends the call early. */
static size_t stream_batch(struct stream *stream, struct gloom_keys keys)
{
	uint8_t *results = stream->want_results ? stream->results : NULL;
	size_t done = 0;

	while (keys.nr) {
		uint64_t positives = 0;
		int64_t nr;

		nr = gloom_batch(stream->filter, stream->op, &keys, results,
				 &positives);
		/* Results go on at a byte; nothing but an error prevents it. */
		if (!nr || (nr > 0 && nr % 8 && (size_t)nr < keys.nr))
			nr = -EIO;
		if (nr < 0) {
			stream->error = filter_error(stream->name, nr);
			break;
		}
		done += nr;
		stream->positives += positives;
		keys.data = keys_skip(&keys, nr);
		keys.nr -= nr;
		if (keys.lens)
			keys.lens += nr;
		if (results)
			results += nr / 8;
	}
	stream->keys += done;
	return done;
}

size_t stream_next(struct stream *stream, struct gloom_keys *keys)
{
	struct gloom_keys batch;
	int nr;

	if (stream->error)
		return 0;
	nr = input_next(stream->input, keys);
	if (nr < 0)
		stream->error = CLI_ERROR;
	if (nr <= 0)
		return 0;
	batch = *keys;
	if (stream->kind != STREAM_BYTES)
		stream_convert(stream, &batch);
	return stream_batch(stream, batch);
}
