// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "source.h"
#include "stream.h"

static const struct command_option add_options[] = {
	SOURCE_OPTIONS,
	{ 'u', "unique", NULL, "print the keys that were new" },
	{ 'q', "quiet", NULL, "no progress, no summary" },
	{ OPTION_JSON, "json", NULL, "print the summary as JSON" },
	{}
};

struct add_request {
	struct source source;
	bool unique, quiet, json;
};

static void add_print(const struct stream *stream,
		      const struct gloom_keys *keys, size_t nr)
{
	const char *key = keys->data;
	size_t i;

	for (i = 0; i < nr; key += keys->lens[i++]) {
		if (stream_result(stream, i))
			input_print(stream->input->format, key, keys->lens[i]);
	}
}

/* Without read permission it is not known how many were new. */
static void add_json(const struct stream *stream, bool complete, bool readable,
		     double seconds)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(stream->name));
	json_object_set_new(object, "keys", json_u64(stream->keys));
	json_object_set_new(object, "new", readable ?
			    json_u64(stream->positives) : json_null());
	json_object_set_new(object, "complete", json_boolean(complete));
	json_object_set_new(object, "seconds", json_real(seconds));
	output_json(object);
}

static void add_text(const struct stream *stream, bool readable, double seconds)
{
	char rate[FORMAT_SIZE];

	fprintf(stderr, "gloom: %s: %" PRIu64 " keys added", stream->name,
		stream->keys);
	if (readable)
		fprintf(stderr, ", %" PRIu64 " new", stream->positives);
	fprintf(stderr, ", in %.2f s, %s keys/s\n", seconds,
		format_count(rate, seconds > 0 ? stream->keys / seconds : 0));
}

static int add_stream(struct stream *stream, const struct add_request *request,
		      bool readable)
{
	struct progress progress;
	struct gloom_keys keys;
	double seconds;
	int signal;
	size_t nr;

	progress_start(&progress, stream->input->total, request->quiet,
		       request->unique);
	while ((nr = stream_next(stream, &keys))) {
		if (request->unique)
			add_print(stream, &keys, nr);
		if (output_failed()) {
			stream->error = CLI_ERROR;
			break;
		}
		progress_update(&progress, stream->keys, stream->input->taken);
	}
	seconds = progress_end(&progress);
	signal = stream->input->signal;
	if (request->json)
		add_json(stream, !signal && !stream->error, readable, seconds);
	else if (!request->quiet || signal || stream->error)
		add_text(stream, readable, seconds);
	return signal ? CLI_SIGNAL + signal : stream->error;
}

static int add_keys(const char *name, const struct add_request *request)
{
	struct gloom_filter_info info;
	struct gloom_filter *filter;
	struct stream *stream;
	struct input *input;
	int code;

	/* Adding needs no read permission; counting the new keys does. */
	code = filter_open(name, GLOOM_READ | GLOOM_WRITE,
			   request->unique ? 0 : GLOOM_WRITE, &filter, &info);
	if (code)
		return code;
	input = source_open(&request->source);
	if (!input) {
		gloom_close(filter);
		return CLI_ERROR;
	}
	/* Only now: to open a pipe may take long. */
	input->stop_fd = interrupt_open();
	stream = stream_new(name, filter, input);
	stream->op = request->unique ? GLOOM_TEST_AND_ADD : GLOOM_ADD;
	stream->want_results = request->unique;
	if (info.hash == GLOOM_PREHASHED)
		stream->kind = STREAM_NUMBERS;
	code = add_stream(stream, request, info.has_counters);
	free(stream);
	input_close(input);
	gloom_close(filter);
	return code;
}

static int add_run(int argc, char **argv)
{
	struct add_request request = { .unique = false };
	struct options options;
	int key, code;

	options_init(&options, &command_add, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		if (source_option(&request.source, &options, key))
			continue;
		switch (key) {
		case 'u':
			request.unique = true;
			break;
		case 'q':
			request.quiet = true;
			break;
		case OPTION_JSON:
			request.json = true;
			break;
		default:
			return options.exit;
		}
	}
	if (!options_words(&options, 1, -1))
		return CLI_ERROR;
	code = source_words(&request.source, &options);
	if (code)
		return code;
	if (request.unique && request.json)
		return usage_error(&command_add,
				   "-u and --json both print to stdout");
	return add_keys(options.argv[0], &request);
}

const struct command command_add = {
	.name = "add",
	.run = add_run,
	.usage = "NAME [KEY... | -f FILE] [OPTION...]",
	.summary = "Add keys to a filter",
	.options = add_options,
	.notes = "Without KEY and -f the keys come from stdin. Put -- before a KEY that begins\nwith a dash.\n",
};
