/* SPDX-License-Identifier: MIT */
/*
 * What the files of the command share: subcommands, exit codes, messages.
 *
 * A message goes to stderr where the error is noticed, once; what is handed on
 * from there is the exit code.
 */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>

enum exit_code {
	CLI_OK = 0,
	CLI_NO = 1,		/* the answer is no, as in grep */
	CLI_ERROR = 2,
	CLI_UNUSABLE = 3,	/* no module, or no permission */
	CLI_SIGNAL = 128,	/* plus the number of the signal */
};

/* An option of a subcommand. Lists of them end with an empty one. */
struct command_option {
	int key;		/* its letter; above 255 if it has none */
	const char *name;	/* its long name */
	const char *argument;	/* what its argument is called, or NULL */
	const char *help;
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;	/* what follows the name */
	const char *summary;	/* one line */
	const struct command_option *options;
	const char *notes;	/* more help, or NULL */
};

extern const struct command command_plan;
extern const struct command command_create;
extern const struct command command_add;
extern const struct command command_test;
extern const struct command command_info;
extern const struct command command_list;
extern const struct command command_rm;
extern const struct command command_match;
extern const struct command command_version;

/* "gloom: SUBJECT: what happened" on stderr. */
void message(const char *subject, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Says so, and ends the process with CLI_ERROR. */
_Noreturn void out_of_memory(void);

#endif /* CLI_H */
