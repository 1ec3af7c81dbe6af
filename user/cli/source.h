/* SPDX-License-Identifier: MIT */
/*
 * Where a subcommand takes its keys from: the words of its command line, a
 * file or stdin.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include "input.h"
#include "options.h"

/* The options for that, to put into the list of a subcommand. */
#define SOURCE_OPTIONS							\
	{ 'f', "file", "FILE", "read keys from FILE" },			\
	{ '0', "null", NULL, "keys end with NUL, not with newline" },	\
	{ OPTION_LEN32, "len32", NULL,					\
	  "each key follows its length, a little-endian u32" }

struct source {
	const char *path;	/* NULL for stdin */
	enum input_format format;
	char **words;		/* NULL for none */
};

/* Take an option if it is one of these. */
bool source_option(struct source *source, const struct options *options,
		   int key);

/* The words that follow the first one. Returns CLI_OK, or after a message. */
int source_words(struct source *source, const struct options *options);

/* NULL after a message. */
struct input *source_open(const struct source *source);

#endif /* SOURCE_H */
