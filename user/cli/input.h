/* SPDX-License-Identifier: MIT */
/*
 * Keys from a file, stdin or the command line, as batches for gloom_batch().
 *
 * The memory is bounded whatever the input is. A batch has the keys that are
 * there; only for the first one is waited, so slow input is not held back.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include <gloom.h>

/* Most keys of a batch, a multiple of 8. */
#define INPUT_KEYS	8192

/* Bytes read at once. Room for some of the longest keys. */
#define INPUT_BUFFER	(256 * 1024)

enum input_format {
	INPUT_LINES,		/* a newline ends a key, or the file does */
	INPUT_NULS,		/* the same with NUL */
	INPUT_LEN32,		/* little-endian u32, then so many bytes */
};

struct input {
	enum input_format format;
	const char *name;	/* for messages */
	int fd;			/* -1 for words */
	bool own_fd;
	bool eof;
	char **words;		/* of the command line, NULL at the end */
	int stop_fd;		/* for interrupt_open(), at first -1 */
	int signal;		/* the one that stopped it */
	uint64_t total;		/* size of the input, 0 if not known */
	uint64_t taken;		/* bytes read so far */
	uint64_t keys;		/* keys handed out so far */
	size_t start, end;	/* what is not handed out yet, in the buffer */
	uint32_t lens[INPUT_KEYS];
	char buffer[INPUT_BUFFER];
};

/*
 * Keys from a file, or from stdin if path is NULL or "-". NULL after a message
 * if it cannot be opened.
 */
struct input *input_open(const char *path, enum input_format format);

/* Keys that are strings, up to a NULL. The format is for printing them. */
struct input *input_words(char **words, enum input_format format);

/*
 * The next batch. It is valid until the next call, and lies as it must for
 * gloom_batch(). Returns the number of keys, 0 at the end or when a signal came
 * (input->signal says which), or -1 after a message: then the keys before the
 * bad one have been handed out.
 */
int input_next(struct input *input, struct gloom_keys *keys);

void input_close(struct input *input);

/* Print a key the way it came. */
void input_print(enum input_format format, const char *key, uint32_t len);

#endif /* INPUT_H */
