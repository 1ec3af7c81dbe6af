// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "options.h"

static const struct command_option help_option = {
	'h', "help", NULL, "show this help"
};

void options_init(struct options *options, const struct command *command,
		  int argc, char **argv)
{
	const struct command_option *option = command->options;
	struct option *entry = options->longs;
	char *letter = options->letters;
	bool more = true;

	memset(options, 0, sizeof(*options));
	options->command = command;
	options->argc = argc;
	options->argv = argv;
	/* A missing argument is to be told from an unknown option. */
	*letter++ = ':';
	while (more) {
		if (!option->name) {
			option = &help_option;
			more = false;
		}
		*entry++ = (struct option){
			.name = option->name,
			.has_arg = option->argument ? required_argument :
						      no_argument,
			.val = option->key,
		};
		if (option->key < 256) {
			*letter++ = option->key;
			if (option->argument)
				*letter++ = ':';
		}
		option++;
	}
	opterr = 0;
	optind = 1;
}

static const struct command_option *option_find(const struct command *command,
						int key)
{
	const struct command_option *option;

	for (option = command->options; option->name; option++) {
		if (option->key == key)
			return option;
	}
	return key == help_option.key ? &help_option : NULL;
}

int usage_error(const struct command *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "gloom %s: ", command->name);
	vfprintf(stderr, format, args);
	fprintf(stderr, "; see gloom %s --help\n", command->name);
	va_end(args);
	return CLI_ERROR;
}

static int bad_option(struct options *options, bool missing)
{
	const struct command_option *option;

	option = optopt ? option_find(options->command, optopt) : NULL;
	if (option && missing)
		options->exit = usage_error(options->command,
					    "--%s needs an argument %s",
					    option->name, option->argument);
	else if (option)
		options->exit = usage_error(options->command,
					    "--%s takes no argument",
					    option->name);
	else if (optopt)
		options->exit = usage_error(options->command,
					    "unknown option '-%c'", optopt);
	else
		options->exit = usage_error(options->command,
					    "unknown option '%s'",
					    options->argv[optind - 1]);
	return OPTIONS_STOP;
}

int options_next(struct options *options)
{
	int key = getopt_long(options->argc, options->argv, options->letters,
			      options->longs, NULL);

	options->argument = optarg;
	switch (key) {
	case 'h':
		usage_print(options->command);
		options->exit = CLI_OK;
		return OPTIONS_STOP;
	case '?':
	case ':':
		return bad_option(options, key == ':');
	case -1:
		options->argc -= optind;
		options->argv += optind;
		return OPTIONS_END;
	}
	return key;
}

bool options_words(struct options *options, int min, int max)
{
	if (options->argc < min) {
		usage_error(options->command, "too few arguments");
		return false;
	}
	if (max >= 0 && options->argc > max) {
		usage_error(options->command, "unexpected argument '%s'",
			    options->argv[max]);
		return false;
	}
	return true;
}

bool options_count(struct options *options, uint64_t min, uint64_t max,
		   uint64_t *value)
{
	uint64_t count;

	if (!number_count(options->argument, &count)) {
		usage_error(options->command,
			    "'%s' is not a count, like 1000, 1M or 1e6",
			    options->argument);
		return false;
	}
	if (count < min || count > max) {
		usage_error(options->command,
			    "%s is not in the range %" PRIu64 " to %" PRIu64,
			    options->argument, min, max);
		return false;
	}
	*value = count;
	return true;
}

bool options_fpr(struct options *options, double *value)
{
	double fpr;

	if (!number_share(options->argument, &fpr) || fpr <= 0 || fpr >= 1) {
		usage_error(options->command,
			    "'%s' is not a rate above 0 and below 1, like 1%%, 0.01 or 1e-4",
			    options->argument);
		return false;
	}
	*value = fpr;
	return true;
}

bool options_share(struct options *options, double *value)
{
	if (number_share(options->argument, value))
		return true;
	usage_error(options->command, "'%s' is not a share, like 20%% or 0.2",
		    options->argument);
	return false;
}

bool options_bytes(struct options *options, uint64_t *value)
{
	if (number_bytes(options->argument, value))
		return true;
	usage_error(options->command,
		    "'%s' is not a size, like 64MiB or 1000000",
		    options->argument);
	return false;
}

static void usage_option(const struct command_option *option)
{
	char left[64];
	char letter[8] = "   ";

	if (option->key < 256)
		snprintf(letter, sizeof(letter), "-%c,", option->key);
	snprintf(left, sizeof(left), "%s --%s%s%s", letter, option->name,
		 option->argument ? " " : "",
		 option->argument ? option->argument : "");
	printf("  %-24s %s\n", left, option->help);
}

void usage_print(const struct command *command)
{
	const struct command_option *option;

	printf("Usage: gloom %s%s%s\n\n%s.\n\n", command->name,
	       *command->usage ? " " : "", command->usage, command->summary);
	for (option = command->options; option->name; option++)
		usage_option(option);
	usage_option(&help_option);
	if (command->notes)
		printf("\n%s", command->notes);
}
