// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "options.h"
#include "output.h"

static const struct command_option list_options[] = {
	{ 'l', "long", NULL, "also mode, owner, bytes and capacity" },
	{ OPTION_JSON, "json", NULL, "print all that as JSON" },
	{}
};

struct list_request {
	bool more;
	json_t *array;		/* NULL without --json */
};

/* The capacity is for those who may open the filter. */
static bool entry_capacity(const struct gloom_entry *entry, uint64_t *capacity)
{
	struct gloom_filter_info info = { .size = sizeof(info) };
	struct gloom_filter *filter;
	bool known;

	if (gloom_open(&filter, entry->name, GLOOM_READ) &&
	    gloom_open(&filter, entry->name, GLOOM_WRITE))
		return false;
	known = !gloom_info(filter, 0, &info);
	*capacity = info.capacity;
	gloom_close(filter);
	return known;
}

static json_t *entry_json(const struct gloom_entry *entry)
{
	json_t *object = json_object();
	uint64_t capacity;

	json_object_set_new(object, "name", json_string(entry->name));
	json_object_set_new(object, "mode", json_mode(entry->mode));
	json_object_set_new(object, "uid", json_integer(entry->uid));
	json_object_set_new(object, "gid", json_integer(entry->gid));
	json_object_set_new(object, "bytes", json_u64(entry->bytes));
	json_object_set_new(object, "capacity",
			    entry_capacity(entry, &capacity) ?
			    json_u64(capacity) : json_null());
	return object;
}

static void entry_text(const struct gloom_entry *entry)
{
	uint64_t capacity;
	char owner[32];
	char text[32] = "-";

	if (entry_capacity(entry, &capacity))
		snprintf(text, sizeof(text), "%" PRIu64, capacity);
	snprintf(owner, sizeof(owner), "%" PRIu32 ":%" PRIu32, entry->uid,
		 entry->gid);
	printf("%04o %-11s %14" PRIu64 " %14s %s\n", entry->mode, owner,
	       entry->bytes, text, entry->name);
}

static int list_entry(const struct gloom_entry *entry, void *arg)
{
	struct list_request *request = arg;

	if (request->array)
		json_array_append_new(request->array, entry_json(entry));
	else if (request->more)
		entry_text(entry);
	else
		puts(entry->name);
	return 0;
}

static int list_run(int argc, char **argv)
{
	struct list_request request = { .more = false };
	struct options options;
	bool json = false;
	int key, error;

	options_init(&options, &command_list, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		switch (key) {
		case 'l':
			request.more = true;
			break;
		case OPTION_JSON:
			json = true;
			break;
		default:
			return options.exit;
		}
	}
	if (!options_words(&options, 0, 0))
		return CLI_ERROR;
	if (json) {
		request.array = json_array();
		if (!request.array)
			out_of_memory();
	}
	error = gloom_list(list_entry, &request);
	if (error) {
		json_decref(request.array);
		return filter_error(NULL, error);
	}
	if (json)
		output_json(request.array);
	return CLI_OK;
}

const struct command command_list = {
	.name = "list",
	.run = list_run,
	.usage = "[-l | --json]",
	.summary = "Show which filters there are",
	.options = list_options,
	.notes = "With -l a line has mode, owner (uid:gid), bytes, capacity and name. The capacity\nis - where it may not be read.\n",
};
