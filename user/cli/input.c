// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"
#include "interrupt.h"
#include "output.h"

/* The buffer always has a whole key, or room to read more of one. */
_Static_assert(GLOOM_KEY_MAX + sizeof(uint32_t) < INPUT_BUFFER,
	       "the longest key fits");

static struct input *input_new(enum input_format format)
{
	struct input *input = malloc(sizeof(*input));

	if (!input)
		out_of_memory();
	/* The arrays at its end are written before they are read. */
	memset(input, 0, offsetof(struct input, lens));
	input->format = format;
	input->fd = -1;
	input->stop_fd = -1;
	return input;
}

struct input *input_open(const char *path, enum input_format format)
{
	struct input *input = input_new(format);
	struct stat status;
	off_t offset;

	if (path && strcmp(path, "-")) {
		input->name = path;
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
		input->own_fd = true;
		if (input->fd < 0) {
			message(path, "%s", strerror(errno));
			input_close(input);
			return NULL;
		}
	} else {
		input->name = "stdin";
		input->fd = STDIN_FILENO;
	}
	if (!fstat(input->fd, &status) && S_ISREG(status.st_mode)) {
		offset = lseek(input->fd, 0, SEEK_CUR);
		if (offset >= 0 && offset < status.st_size)
			input->total = status.st_size - offset;
	}
	return input;
}

struct input *input_words(char **words, enum input_format format)
{
	struct input *input = input_new(format);

	input->name = "arguments";
	input->words = words;
	return input;
}

void input_close(struct input *input)
{
	if (input->own_fd && input->fd >= 0)
		close(input->fd);
	free(input);
}

/*
 * Wait for something to read. Output that waits in our buffer may be what the
 * other end waits for, so it goes out first.
 */
static bool input_wait(struct input *input)
{
	struct pollfd files[] = {
		{ .fd = input->fd, .events = POLLIN },
		{ .fd = input->stop_fd, .events = POLLIN },
	};

	if (!poll(files, 2, 0)) {
		output_flush();
		while (poll(files, 2, -1) < 0 && errno == EINTR)
			;
	}
	if (files[1].revents)
		input->signal = interrupt_signal(input->stop_fd);
	return !input->signal;
}

/* Returns 0, also at the end and for a signal, or -1 after a message. */
static int input_fill(struct input *input)
{
	ssize_t got;

	memmove(input->buffer, input->buffer + input->start,
		input->end - input->start);
	input->end -= input->start;
	input->start = 0;
	do {
		if (!input_wait(input))
			return 0;
		got = read(input->fd, input->buffer + input->end,
			   sizeof(input->buffer) - input->end);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0) {
		message(input->name, "%s", strerror(errno));
		return -1;
	}
	input->eof = !got;
	input->end += got;
	input->taken += got;
	return 0;
}

static int key_too_long(const struct input *input)
{
	message(input->name,
		"key %" PRIu64 " is longer than %d bytes, the most a key can have",
		input->keys + 1, GLOOM_KEY_MAX);
	return -1;
}

/*
 * The functions below hand out what is in the buffer: they move the keys
 * together, over the separators, and set their lengths. They return the number
 * of keys, 0 if there is no whole one, or -1 if the first one is bad. A bad key
 * that is not the first ends the batch, and so is the first of the next.
 */

static int input_split(struct input *input)
{
	char separator = input->format == INPUT_NULS ? '\0' : '\n';
	char *p = input->buffer + input->start;
	char *end = input->buffer + input->end;
	char *to = p;
	int nr = 0;

	while (nr < INPUT_KEYS && p < end) {
		char *stop = memchr(p, separator, end - p);
		size_t len = (stop ? stop : end) - p;

		if (len > GLOOM_KEY_MAX)
			break;
		if (!stop && !input->eof)
			break;
		memmove(to, p, len);
		to += len;
		input->lens[nr++] = len;
		p += stop ? len + 1 : len;
	}
	if (!nr && end - p > GLOOM_KEY_MAX)
		return key_too_long(input);
	input->start = p - input->buffer;
	return nr;
}

static int input_split_len32(struct input *input)
{
	char *p = input->buffer + input->start;
	char *end = input->buffer + input->end;
	char *to = p;
	int nr = 0;

	while (nr < INPUT_KEYS && (size_t)(end - p) >= sizeof(uint32_t)) {
		const unsigned char *byte = (const unsigned char *)p;
		uint32_t len = byte[0] | byte[1] << 8 | byte[2] << 16 |
			       (uint32_t)byte[3] << 24;

		if (len > GLOOM_KEY_MAX) {
			if (nr)
				break;
			return key_too_long(input);
		}
		if ((size_t)(end - p) - sizeof(len) < len)
			break;
		p += sizeof(len);
		memmove(to, p, len);
		to += len;
		input->lens[nr++] = len;
		p += len;
	}
	if (!nr && input->eof && p < end) {
		message(input->name, "ends within key %" PRIu64,
			input->keys + 1);
		return -1;
	}
	input->start = p - input->buffer;
	return nr;
}

static int input_take_words(struct input *input)
{
	size_t size = 0;
	int nr = 0;

	while (nr < INPUT_KEYS && *input->words) {
		size_t len = strlen(*input->words);

		if (len > GLOOM_KEY_MAX) {
			if (nr)
				break;
			return key_too_long(input);
		}
		if (len > sizeof(input->buffer) - size)
			break;
		memcpy(input->buffer + size, *input->words, len);
		size += len;
		input->lens[nr++] = len;
		input->words++;
	}
	return nr;
}

int input_next(struct input *input, struct gloom_keys *keys)
{
	size_t start;
	int nr;

	for (;;) {
		start = input->start;
		if (input->words)
			nr = input_take_words(input);
		else if (input->format == INPUT_LEN32)
			nr = input_split_len32(input);
		else
			nr = input_split(input);
		if (nr || input->words || input->eof)
			break;
		nr = input_fill(input);
		if (nr || input->signal)
			break;
	}
	if (nr <= 0)
		return nr;
	*keys = (struct gloom_keys){
		.data = input->buffer + start,
		.nr = nr,
		.lens = input->lens,
	};
	input->keys += nr;
	return nr;
}

void input_print(enum input_format format, const char *key, uint32_t len)
{
	unsigned char prefix[] = { len, len >> 8, len >> 16, len >> 24 };

	if (format == INPUT_LEN32)
		output_write(prefix, sizeof(prefix));
	output_write(key, len);
	if (format != INPUT_LEN32)
		output_write(format == INPUT_NULS ? "" : "\n", 1);
}
