/* SPDX-License-Identifier: MIT */
/*
 * The command line of a subcommand: its options are read, checked and explained
 * from the list that it declares.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

#define OPTIONS_MAX	24

/* Keys of options without a letter. */
enum option_key {
	OPTION_JSON = 256,
	OPTION_LEN32,
	OPTION_HEADROOM,
	OPTION_MAX_K,
	OPTION_HASH,
	OPTION_SEED,
	OPTION_MODE,
	OPTION_NODE,
	OPTION_BLOCKS,
	OPTION_K,
	OPTION_MAYBE,
	OPTION_NO,
	OPTION_BITS,
};

struct options {
	const struct command *command;
	int argc;
	char **argv;
	const char *argument;	/* of the option just read */
	int exit;		/* when options_next() says OPTIONS_STOP */
	struct option longs[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
};

/* What options_next() returns beside an option's key. */
#define OPTIONS_END	(-1)
#define OPTIONS_STOP	(-2)	/* help was given, or the option is bad */

void options_init(struct options *options, const struct command *command,
		  int argc, char **argv);
int options_next(struct options *options);

/*
 * What is left when the options are read: at least min words, at most max, or
 * any number if max is negative. False after a message if it is not so.
 */
bool options_words(struct options *options, int min, int max);

/*
 * The argument as a number. False after a message if it is none, or outside of
 * min and max.
 */
bool options_count(struct options *options, uint64_t min, uint64_t max,
		   uint64_t *value);
bool options_fpr(struct options *options, double *value);
bool options_share(struct options *options, double *value);
bool options_bytes(struct options *options, uint64_t *value);

/* A message about wrong use on stderr. Returns CLI_ERROR. */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* The help of a subcommand on stdout. */
void usage_print(const struct command *command);

#endif /* OPTIONS_H */
