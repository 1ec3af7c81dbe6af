// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "source.h"
#include "stream.h"

static const struct command_option test_options[] = {
	SOURCE_OPTIONS,
	{ OPTION_MAYBE, "maybe", NULL, "print only keys that may be there" },
	{ OPTION_NO, "no", NULL, "print only keys that are not there" },
	{ 'c', "count", NULL, "print only how many there are" },
	{ 'q', "quiet", NULL, "print nothing, stop at the first no" },
	{ OPTION_JSON, "json", NULL, "print the counts as JSON" },
	{}
};

struct test_request {
	struct source source;
	bool maybe, no, count, quiet, json;
};

static void test_print(const struct test_request *request,
		       const struct stream *stream,
		       const struct gloom_keys *keys, size_t nr)
{
	const char *key = keys->data;
	size_t i;

	for (i = 0; i < nr; key += keys->lens[i++]) {
		bool maybe = stream_result(stream, i);

		if (request->maybe || request->no) {
			if (maybe == request->no)
				continue;
		} else {
			output_write(maybe ? "maybe\t" : "no\t",
				     maybe ? 6 : 3);
		}
		input_print(stream->input->format, key, keys->lens[i]);
	}
}

static void test_counts(const struct test_request *request,
			const struct stream *stream)
{
	uint64_t maybe = stream->positives;
	uint64_t no = stream->keys - maybe;

	if (request->json) {
		json_t *object = json_object();

		json_object_set_new(object, "name", json_string(stream->name));
		json_object_set_new(object, "keys", json_u64(stream->keys));
		json_object_set_new(object, "maybe", json_u64(maybe));
		json_object_set_new(object, "no", json_u64(no));
		output_json(object);
	} else if (request->maybe || request->no) {
		printf("%" PRIu64 "\n", request->maybe ? maybe : no);
	} else {
		printf("maybe\t%" PRIu64 "\nno\t%" PRIu64 "\n", maybe, no);
	}
}

static int test_stream(struct stream *stream,
		       const struct test_request *request)
{
	bool prints = !request->count && !request->quiet && !request->json;
	struct progress progress;
	struct gloom_keys keys;
	bool absent = false;
	size_t nr;

	progress_start(&progress, stream->input->total, request->quiet, prints);
	while ((nr = stream_next(stream, &keys))) {
		absent = stream->positives < stream->keys;
		if (prints)
			test_print(request, stream, &keys, nr);
		if (output_failed() || (request->quiet && absent))
			break;
		progress_update(&progress, stream->keys, stream->input->taken);
	}
	progress_end(&progress);
	if (stream->error)
		return stream->error;
	if (request->count || request->json)
		test_counts(request, stream);
	return absent ? CLI_NO : CLI_OK;
}

static int test_keys(const char *name, const struct test_request *request)
{
	struct gloom_filter_info info;
	struct gloom_filter *filter;
	struct stream *stream;
	struct input *input;
	int code;

	code = filter_open(name, GLOOM_READ, 0, &filter, &info);
	if (code)
		return code;
	input = source_open(&request->source);
	if (!input) {
		gloom_close(filter);
		return CLI_ERROR;
	}
	stream = stream_new(name, filter, input);
	stream->op = GLOOM_TEST;
	stream->want_results = true;
	if (info.hash == GLOOM_PREHASHED)
		stream->kind = STREAM_NUMBERS;
	code = test_stream(stream, request);
	free(stream);
	input_close(input);
	gloom_close(filter);
	return code;
}

static int test_check(const struct test_request *request)
{
	if (request->maybe && request->no)
		return usage_error(&command_test,
				   "--maybe and --no exclude each other");
	if (request->quiet && (request->count || request->json))
		return usage_error(&command_test,
				   "-q prints nothing, so -c and --json make no sense");
	if (request->json && (request->maybe || request->no))
		return usage_error(&command_test,
				   "--json always has both counts");
	if (request->source.format == INPUT_LEN32 && !request->maybe &&
	    !request->no && !request->count && !request->quiet &&
	    !request->json)
		return usage_error(&command_test,
				   "--len32 needs --maybe, --no, -c, -q or --json: such keys do not go on lines");
	return CLI_OK;
}

static int test_run(int argc, char **argv)
{
	struct test_request request = { .maybe = false };
	struct options options;
	int key, code;

	options_init(&options, &command_test, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		if (source_option(&request.source, &options, key))
			continue;
		switch (key) {
		case OPTION_MAYBE:
			request.maybe = true;
			break;
		case OPTION_NO:
			request.no = true;
			break;
		case 'c':
			request.count = true;
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
	if (!code)
		code = test_check(&request);
	if (code)
		return code;
	return test_keys(options.argv[0], &request);
}

const struct command command_test = {
	.name = "test",
	.run = test_run,
	.usage = "NAME [KEY... | -f FILE] [OPTION...]",
	.summary = "Say which keys may be in a filter, and which are not",
	.options = test_options,
	.notes =
"A line per key says maybe or no, a tab, the key. Without KEY and -f the keys\n"
"come from stdin. Put -- before a KEY that begins with a dash.\n"
"Exit code: 0 all may be there, 1 some are not, 2 error, 3 no module or no\n"
"permission.\n",
};
