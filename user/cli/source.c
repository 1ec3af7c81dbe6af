// SPDX-License-Identifier: MIT
#include "source.h"

bool source_option(struct source *source, const struct options *options,
		   int key)
{
	switch (key) {
	case 'f':
		source->path = options->argument;
		return true;
	case '0':
		source->format = INPUT_NULS;
		return true;
	case OPTION_LEN32:
		source->format = INPUT_LEN32;
		return true;
	}
	return false;
}

int source_words(struct source *source, const struct options *options)
{
	if (options->argc < 2)
		return CLI_OK;
	if (source->path)
		return usage_error(options->command,
				   "keys come from -f or from the command line, not both");
	if (source->format == INPUT_LEN32)
		return usage_error(options->command,
				   "--len32 is not for keys on the command line");
	source->words = options->argv + 1;
	return CLI_OK;
}

struct input *source_open(const struct source *source)
{
	if (source->words)
		return input_words(source->words, source->format);
	return input_open(source->path, source->format);
}
