// SPDX-License-Identifier: MIT
#include "filter.h"
#include "options.h"

static const struct command_option rm_options[] = {
	{}
};

static int rm_run(int argc, char **argv)
{
	struct options options;
	int code = CLI_OK;
	int i;

	options_init(&options, &command_rm, argc, argv);
	if (options_next(&options) != OPTIONS_END)
		return options.exit;
	if (!options_words(&options, 1, -1))
		return CLI_ERROR;
	for (i = 0; i < options.argc; i++) {
		int error = gloom_unlink(options.argv[i]);

		/* The rest may still go; the first failure is the answer. */
		if (error) {
			error = filter_error(options.argv[i], error);
			code = code ? code : error;
		}
	}
	return code;
}

const struct command command_rm = {
	.name = "rm",
	.run = rm_run,
	.usage = "NAME...",
	.summary = "Remove filters; who has them open keeps them",
	.options = rm_options,
};
