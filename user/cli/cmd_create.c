// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "number.h"
#include "options.h"
#include "output.h"

static const struct command_option create_options[] = {
	{ 'n', "keys", "KEYS", "keys it is to hold" },
	{ 'p', "fpr", "FPR", "false positive rate then, default 1%" },
	{ OPTION_HEADROOM, "headroom", "SHARE", "size for so many more keys" },
	{ OPTION_MAX_K, "max-k", "K", "at most so many bits per key, 1 to 16" },
	{ OPTION_BLOCKS, "blocks", "BLOCKS", "with --k: this size instead" },
	{ OPTION_K, "k", "K", "bits per key, with --blocks" },
	{ OPTION_HASH, "hash", "KIND", "xxh3 (default), xxh64 or prehashed" },
	{ OPTION_SEED, "seed", "NUMBER", "seed of the hash, default random" },
	{ OPTION_MODE, "mode", "OCTAL", "permission bits, default 0600" },
	{ OPTION_NODE, "node", "NODE", "take memory from this NUMA node" },
	{ 'q', "quiet", NULL, "print nothing" },
	{ OPTION_JSON, "json", NULL, "print JSON" },
	{}
};

struct create_request {
	struct gloom_options options;
	double headroom;
	bool have_keys, have_fpr, have_headroom;
	bool quiet, json;
};

static bool option_hash(struct options *options, enum gloom_hash *hash)
{
	*hash = filter_hash_kind(options->argument);
	if (*hash)
		return true;
	usage_error(options->command, "there is no hash kind '%s'",
		    options->argument);
	return false;
}

static bool option_seed(struct options *options, uint64_t *seed)
{
	if (number_word(options->argument, strlen(options->argument), seed))
		return true;
	usage_error(options->command,
		    "'%s' is not a 64-bit number, like 123 or 0x7b",
		    options->argument);
	return false;
}

static bool option_mode(struct options *options, unsigned int *mode)
{
	if (number_mode(options->argument, mode) && !(*mode & ~0666))
		return true;
	usage_error(options->command,
		    "'%s' is not an octal mode of the bits 0666",
		    options->argument);
	return false;
}

static bool create_option(struct options *options, int key,
			  struct create_request *request)
{
	struct gloom_options *create = &request->options;
	uint64_t number = 0;
	bool good = true;

	switch (key) {
	case 'n':
		request->have_keys = true;
		return options_count(options, 0, UINT64_MAX, &create->capacity);
	case 'p':
		request->have_fpr = true;
		return options_fpr(options, &create->fpr);
	case OPTION_HEADROOM:
		request->have_headroom = true;
		return options_share(options, &request->headroom);
	case OPTION_MAX_K:
		good = options_count(options, 1, 16, &number);
		create->max_k = number;
		break;
	case OPTION_BLOCKS:
		return options_count(options, 1, GLOOM_BLOCKS_MAX,
				     &create->nr_blocks);
	case OPTION_K:
		good = options_count(options, 1, 16, &number);
		create->k = number;
		break;
	case OPTION_HASH:
		return option_hash(options, &create->hash);
	case OPTION_SEED:
		create->flags |= GLOOM_SEED;
		return option_seed(options, &create->seed);
	case OPTION_MODE:
		return option_mode(options, &create->mode);
	case OPTION_NODE:
		create->flags |= GLOOM_NODE;
		good = options_count(options, 0, INT_MAX, &number);
		create->node = number;
		break;
	case 'q':
		request->quiet = true;
		break;
	case OPTION_JSON:
		request->json = true;
		break;
	}
	return good;
}

/* Do the options make sense together? Returns the exit code. */
static int create_check(struct create_request *request)
{
	struct gloom_options *create = &request->options;

	if (!create->nr_blocks != !create->k)
		return usage_error(&command_create,
				   "--blocks and --k need each other");
	if (create->k && (request->have_fpr || request->have_headroom ||
			  create->max_k))
		return usage_error(&command_create,
				   "--blocks leaves nothing for -p, --headroom and --max-k to decide");
	if (!create->k && !request->have_keys)
		return usage_error(&command_create,
				   "-n is needed, or --blocks and --k");
	if (!number_add_share(create->capacity, request->headroom,
			      &create->capacity))
		return usage_error(&command_create, "too many keys");
	return CLI_OK;
}

static void create_text(const struct gloom_filter_info *info)
{
	char text[FORMAT_SIZE];

	printf("%s: %s, %" PRIu64 " blocks, k %u", info->name,
	       format_bytes(text, info->bytes), info->nr_blocks, info->k);
	if (info->capacity)
		printf(", for %" PRIu64 " keys", info->capacity);
	if (info->fpr > 0)
		printf(" at %s", format_share(text, info->fpr));
	putchar('\n');
}

static int create_filter(const char *name, const struct create_request *request)
{
	struct gloom_filter_info info = { .size = sizeof(info) };
	struct gloom_filter *filter;
	int error;

	error = gloom_create(&filter, name, &request->options);
	if (error == -EINVAL && request->options.flags & GLOOM_NODE) {
		message(name, "refused; is there a NUMA node %u?",
			request->options.node);
		return CLI_ERROR;
	}
	if (error)
		return filter_error(name, error);
	error = gloom_info(filter, 0, &info);
	if (error) {
		gloom_close(filter);
		return filter_error(name, error);
	}
	if (request->json) {
		json_t *object = json_object();

		filter_describe(object, filter, &info);
		output_json(object);
	} else if (!request->quiet) {
		create_text(&info);
	}
	gloom_close(filter);
	return CLI_OK;
}

static int create_run(int argc, char **argv)
{
	struct create_request request = { .options = GLOOM_OPTIONS_INIT };
	struct options options;
	int key, code;

	options_init(&options, &command_create, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.exit;
		if (!create_option(&options, key, &request))
			return CLI_ERROR;
	}
	if (!options_words(&options, 1, 1))
		return CLI_ERROR;
	if (!filter_name_valid(options.argv[0])) {
		message(options.argv[0],
			"a name is 1 to 63 of A-Z a-z 0-9 . _ : @ + - and does not begin with . or -");
		return CLI_ERROR;
	}
	code = create_check(&request);
	if (code)
		return code;
	return create_filter(options.argv[0], &request);
}

const struct command command_create = {
	.name = "create",
	.run = create_run,
	.usage = "NAME -n KEYS [-p FPR] [OPTION...]",
	.summary = "Make an empty filter",
	.options = create_options,
	.notes = "KEYS like 1000, 1M, 1e6; FPR and SHARE like 1% or 0.01.\n",
};
