// SPDX-License-Identifier: MIT
/* gloom, the command: see gloom(1). */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "output.h"
#include "version.h"

static const struct command * const commands[] = {
	&command_plan,
	&command_create,
	&command_add,
	&command_test,
	&command_info,
	&command_list,
	&command_rm,
	&command_match,
	&command_version,
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(*commands))

static const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	fprintf(stderr, "gloom: there is no command '%s'; see gloom --help\n",
		name);
	return NULL;
}

static void help_print(FILE *file)
{
	size_t i;

	fputs("Usage: gloom COMMAND [ARGUMENT...]\n\n"
	      "Bloom filters in kernel memory, shared between processes.\n\n",
	      file);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(file, "  %-9s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\ngloom COMMAND --help tells more, and so does man gloom.\n",
	      file);
}

/* gloom help [COMMAND] */
static int help(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help_print(stdout);
		return CLI_OK;
	}
	command = command_find(argv[1]);
	if (!command)
		return CLI_ERROR;
	usage_print(command);
	return CLI_OK;
}

static int run(int argc, char **argv)
{
	const struct command *command;
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		help_print(stderr);
		return CLI_ERROR;
	}
	if (!strcmp(word, "help"))
		return help(argc - 1, argv + 1);
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return help(1, argv + 1);
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts("gloom " VERSION);
		return CLI_OK;
	}
	command = command_find(word);
	if (!command)
		return CLI_ERROR;
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	output_init();
	return output_finish(run(argc, argv));
}
