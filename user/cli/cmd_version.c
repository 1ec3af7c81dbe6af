// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <gloom.h>

#include "options.h"
#include "output.h"
#include "version.h"

static const struct command_option version_options[] = {
	{ OPTION_JSON, "json", NULL, "print JSON" },
	{}
};

static const char *module_state(int error)
{
	switch (error) {
	case 0:
		return "loaded";
	case -ENOENT:
		return "not loaded";
	case -EACCES:
		return "no permission to use /dev/gloom";
	}
	return gloom_strerror(error);
}

static void version_json(const struct gloom_limits *limits, int error)
{
	json_t *object = json_object();
	json_t *module = json_object();

	json_object_set_new(object, "gloom", json_string(VERSION));
	json_object_set_new(object, "libgloom", json_string(gloom_version()));
	json_object_set_new(object, "module", module);
	json_object_set_new(module, "loaded", json_boolean(!error));
	json_object_set_new(module, "state", json_string(module_state(error)));
	if (!error) {
		json_object_set_new(module, "abi", json_integer(limits->abi));
		json_object_set_new(module, "filters",
				    json_integer(limits->nr_filters));
		json_object_set_new(module, "max_filters",
				    json_integer(limits->max_filters));
		json_object_set_new(module, "bytes",
				    json_u64(limits->total_bytes));
		json_object_set_new(module, "max_bytes",
				    json_u64(limits->max_total_bytes));
		json_object_set_new(module, "max_filter_bytes",
				    json_u64(limits->max_filter_bytes));
	}
	output_json(object);
}

static void version_text(const struct gloom_limits *limits, int error)
{
	char used[FORMAT_SIZE], most[FORMAT_SIZE];

	printf("gloom     %s\n", VERSION);
	printf("libgloom  %s\n", gloom_version());
	if (error) {
		printf("module    %s\n", module_state(error));
		return;
	}
	printf("module    ABI %u\n", limits->abi);
	printf("filters   %" PRIu32 " of %" PRIu32 "\n", limits->nr_filters,
	       limits->max_filters);
	printf("memory    %s of %s, ", format_bytes(used, limits->total_bytes),
	       format_bytes(most, limits->max_total_bytes));
	printf("a filter at most %s\n",
	       format_bytes(most, limits->max_filter_bytes));
}

static int version_run(int argc, char **argv)
{
	struct gloom_limits limits = { .size = sizeof(limits) };
	struct options options;
	bool json = false;
	int key, error;

	options_init(&options, &command_version, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key != OPTION_JSON)
			return options.exit;
		json = true;
	}
	if (!options_words(&options, 0, 0))
		return CLI_ERROR;
	/* A command without its module still has a version. */
	error = gloom_limits(&limits);
	if (json)
		version_json(&limits, error);
	else
		version_text(&limits, error);
	return CLI_OK;
}

const struct command command_version = {
	.name = "version",
	.run = version_run,
	.usage = "[--json]",
	.summary = "Show versions, and the limits of the module",
	.options = version_options,
};
