// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "stream.h"

/* Of so many lines that are not among the keys one passes all the same. */
#define MATCH_FPR	0.0001

static const struct command_option match_options[] = {
	{ 'f', "file", "KEYS", "file with the keys" },
	{ 'v', "invert", NULL, "print the lines that surely are not keys" },
	{ 'p', "fpr", "FPR", "false positive rate, default 0.01%" },
	{ '0', "null", NULL, "keys and lines end with NUL, not with newline" },
	{ 'c', "count", NULL, "print only how many lines there would be" },
	{ 'q', "quiet", NULL, "print nothing, stop at the first line" },
	{}
};

struct match_request {
	const char *path;
	enum input_format format;
	double fpr;
	bool invert, count, quiet;
};

/* The hashes of all keys: only when they are counted can they have a filter. */
struct hashes {
	uint64_t *hash;
	size_t nr, room;
};

static void hashes_add(struct hashes *hashes, const struct gloom_keys *keys)
{
	const char *key = keys->data;
	size_t i;

	if (hashes->room - hashes->nr < keys->nr) {
		hashes->room = 2 * hashes->room + INPUT_KEYS;
		hashes->hash = reallocarray(hashes->hash, hashes->room,
					    sizeof(*hashes->hash));
		if (!hashes->hash)
			out_of_memory();
	}
	for (i = 0; i < keys->nr; key += keys->lens[i++])
		hashes->hash[hashes->nr++] = stream_hash(key, keys->lens[i]);
}

/* Returns an exit code. */
static int match_read(struct hashes *hashes,
		      const struct match_request *request)
{
	struct progress progress;
	struct gloom_keys keys;
	struct input *input;
	int nr;

	input = input_open(request->path, request->format);
	if (!input)
		return CLI_ERROR;
	progress_start(&progress, input->total, request->quiet, false);
	while ((nr = input_next(input, &keys)) > 0) {
		hashes_add(hashes, &keys);
		progress_update(&progress, input->keys, input->taken);
	}
	progress_end(&progress);
	input_close(input);
	return nr ? CLI_ERROR : CLI_OK;
}

/* A filter in our own memory with those hashes. Returns an exit code. */
static int match_build(const struct hashes *hashes, double fpr,
		       struct gloom_filter **filter)
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_keys keys = {
		.data = hashes->hash,
		.nr = hashes->nr,
		.key_size = sizeof(*hashes->hash),
	};
	int64_t done;
	int error;

	options.flags = GLOOM_LOCAL;
	options.capacity = hashes->nr;
	options.fpr = fpr;
	options.hash = GLOOM_PREHASHED;
	error = gloom_create(filter, NULL, &options);
	if (error)
		return filter_error("match", error);
	if (!keys.nr)
		return CLI_OK;
	done = gloom_batch(*filter, GLOOM_ADD, &keys, NULL, NULL);
	if (done == (int64_t)keys.nr)
		return CLI_OK;
	gloom_close(*filter);
	return filter_error("match", done < 0 ? done : -EIO);
}

static void match_print(const struct match_request *request,
			const struct stream *stream,
			const struct gloom_keys *keys, size_t nr)
{
	const char *key = keys->data;
	size_t i;

	for (i = 0; i < nr; key += keys->lens[i++]) {
		if (stream_result(stream, i) != request->invert)
			input_print(request->format, key, keys->lens[i]);
	}
}

/* Returns an exit code. */
static int match_lines(const struct match_request *request,
		       struct gloom_filter *filter)
{
	bool prints = !request->count && !request->quiet;
	uint64_t matches = 0;
	struct progress progress;
	struct gloom_keys keys;
	struct stream *stream;
	size_t nr;
	int code;

	stream = stream_new("match", filter, input_open(NULL, request->format));
	stream->op = GLOOM_TEST;
	stream->kind = STREAM_HASHES;
	stream->want_results = true;
	progress_start(&progress, stream->input->total, request->quiet, prints);
	while ((nr = stream_next(stream, &keys))) {
		matches = request->invert ? stream->keys - stream->positives :
					    stream->positives;
		if (prints)
			match_print(request, stream, &keys, nr);
		if (output_failed() || (request->quiet && matches))
			break;
		progress_update(&progress, stream->keys, stream->input->taken);
	}
	progress_end(&progress);
	code = stream->error;
	if (!code) {
		if (request->count)
			printf("%" PRIu64 "\n", matches);
		code = matches ? CLI_OK : CLI_NO;
	}
	input_close(stream->input);
	free(stream);
	return code;
}

static int match(const struct match_request *request)
{
	struct hashes hashes = { .nr = 0 };
	struct gloom_filter *filter;
	int code;

	code = match_read(&hashes, request);
	if (!code)
		code = match_build(&hashes, request->fpr, &filter);
	free(hashes.hash);
	if (code)
		return code;
	code = match_lines(request, filter);
	gloom_close(filter);
	return code;
}

static int match_run(int argc, char **argv)
{
	struct match_request request = { .fpr = MATCH_FPR };
	struct options options;
	int key;

	options_init(&options, &command_match, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		switch (key) {
		case 'f':
			request.path = options.argument;
			break;
		case 'v':
			request.invert = true;
			break;
		case 'p':
			if (!options_fpr(&options, &request.fpr))
				return CLI_ERROR;
			break;
		case '0':
			request.format = INPUT_NULS;
			break;
		case 'c':
			request.count = true;
			break;
		case 'q':
			request.quiet = true;
			break;
		default:
			return options.exit;
		}
	}
	if (!options_words(&options, 0, 0))
		return CLI_ERROR;
	if (!request.path)
		return usage_error(&command_match, "-f is needed");
	if (!strcmp(request.path, "-"))
		return usage_error(&command_match,
				   "stdin has the lines, so -f must be a file");
	if (request.count && request.quiet)
		return usage_error(&command_match,
				   "-c and -q exclude each other");
	return match(&request);
}

const struct command command_match = {
	.name = "match",
	.run = match_run,
	.usage = "-f KEYS [-v] [OPTION...]",
	.summary = "Print the lines of stdin that may be among keys; needs no module",
	.options = match_options,
	.notes =
"All lines that are keys are printed, and FPR of those that are not; with -v\n"
"only such that are not. Exit code: 0 a line was printed, 1 none, 2 error.\n",
};
