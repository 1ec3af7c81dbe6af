// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <gloom.h>

#include "number.h"
#include "options.h"
#include "output.h"

static const struct command_option plan_options[] = {
	{ 'n', "keys", "KEYS", "keys it is to hold" },
	{ 'p', "fpr", "FPR", "false positive rate, default 1%" },
	{ 'm', "memory", "BYTES", "the best rate in this memory instead" },
	{ OPTION_HEADROOM, "headroom", "SHARE", "size for so many more keys" },
	{ OPTION_MAX_K, "max-k", "K", "at most so many bits per key, 1 to 16" },
	{ OPTION_JSON, "json", NULL, "print JSON" },
	{}
};

/* How full to show it, in percent of the keys asked for. */
static const unsigned int plan_percents[] = { 50, 100, 150, 200 };

#define NR_PERCENTS	(sizeof(plan_percents) / sizeof(*plan_percents))

struct plan_request {
	uint64_t keys;
	double fpr;		/* 0 if memory is given */
	uint64_t memory;
	double headroom;
	uint64_t max_k;
	uint64_t capacity;
};

static double fpr_at(const struct plan_request *request,
		     const struct gloom_plan *plan, unsigned int percent)
{
	return gloom_fpr(plan->nr_blocks, plan->k,
			 (double)request->keys * percent / 100);
}

static void plan_json(const struct plan_request *request,
		      const struct gloom_plan *plan)
{
	json_t *object = json_object();
	json_t *array = json_array();
	size_t i;

	json_object_set_new(object, "keys", json_u64(request->keys));
	json_object_set_new(object, "headroom", json_real(request->headroom));
	json_object_set_new(object, "capacity", json_u64(request->capacity));
	json_object_set_new(object, "fpr_asked", request->fpr > 0 ?
			    json_real(request->fpr) : json_null());
	json_object_set_new(object, "blocks", json_u64(plan->nr_blocks));
	json_object_set_new(object, "bytes", json_u64(plan->bytes));
	json_object_set_new(object, "bits_per_key",
			    json_real(plan->bits_per_key));
	json_object_set_new(object, "k", json_integer(plan->k));
	json_object_set_new(object, "fpr", json_real(plan->fpr));
	for (i = 0; i < NR_PERCENTS; i++) {
		json_t *entry = json_object();

		json_object_set_new(entry, "percent",
				    json_integer(plan_percents[i]));
		json_object_set_new(entry, "fpr",
				    json_real(fpr_at(request, plan,
						     plan_percents[i])));
		json_array_append_new(array, entry);
	}
	json_object_set_new(object, "fpr_at", array);
	output_json(object);
}

static void plan_text(const struct plan_request *request,
		      const struct gloom_plan *plan)
{
	char text[FORMAT_SIZE];
	size_t i;

	printf("keys         %" PRIu64 "\n", request->keys);
	if (request->headroom > 0)
		printf("capacity     %" PRIu64 " (headroom %s)\n",
		       request->capacity,
		       format_share(text, request->headroom));
	printf("memory       %s (%" PRIu64 " bytes)\n",
	       format_bytes(text, plan->bytes), plan->bytes);
	printf("blocks       %" PRIu64 "\n", plan->nr_blocks);
	printf("bits per key %.2f\n", plan->bits_per_key);
	printf("k            %u\n", plan->k);
	printf("fpr          %s at capacity\n", format_share(text, plan->fpr));
	for (i = 0; i < NR_PERCENTS; i++)
		printf("             %s at %u%% of keys\n",
		       format_share(text, fpr_at(request, plan,
						 plan_percents[i])),
		       plan_percents[i]);
}

static int plan_make(const struct plan_request *request,
		     struct gloom_plan *plan)
{
	int error;

	if (request->fpr > 0)
		error = gloom_plan(plan, request->capacity, request->fpr,
				   request->max_k);
	else
		error = gloom_plan_memory(plan, request->capacity,
					  request->memory, request->max_k);
	if (!error)
		return CLI_OK;
	if (error != -ERANGE)
		message("plan", "%s", gloom_strerror(error));
	else if (request->fpr > 0)
		message("plan", "no filter is large enough for that; try fewer keys, a higher rate or a higher --max-k");
	else
		message("plan", "a filter takes 64 bytes at least");
	return CLI_ERROR;
}

static int plan_run(int argc, char **argv)
{
	struct plan_request request = { .headroom = 0 };
	bool have_keys = false, have_memory = false, json = false;
	struct gloom_plan plan;
	struct options options;
	int key, code;

	options_init(&options, &command_plan, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		bool good = true;

		switch (key) {
		case 'n':
			good = options_count(&options, 0, UINT64_MAX,
					     &request.keys);
			have_keys = true;
			break;
		case 'p':
			good = options_fpr(&options, &request.fpr);
			break;
		case 'm':
			good = options_bytes(&options, &request.memory);
			have_memory = true;
			break;
		case OPTION_HEADROOM:
			good = options_share(&options, &request.headroom);
			break;
		case OPTION_MAX_K:
			good = options_count(&options, 1, 16, &request.max_k);
			break;
		case OPTION_JSON:
			json = true;
			break;
		default:
			return options.exit;
		}
		if (!good)
			return CLI_ERROR;
	}
	if (!options_words(&options, 0, 0))
		return CLI_ERROR;
	if (!have_keys)
		return usage_error(&command_plan, "-n is needed");
	if (have_memory && request.fpr > 0)
		return usage_error(&command_plan,
				   "-p and -m do not go together");
	if (!have_memory && !request.fpr)
		request.fpr = 0.01;
	if (!number_add_share(request.keys, request.headroom,
			      &request.capacity))
		return usage_error(&command_plan, "too many keys");
	code = plan_make(&request, &plan);
	if (code)
		return code;
	if (json)
		plan_json(&request, &plan);
	else
		plan_text(&request, &plan);
	return CLI_OK;
}

const struct command command_plan = {
	.name = "plan",
	.run = plan_run,
	.usage = "-n KEYS [-p FPR | -m BYTES] [OPTION...]",
	.summary = "Say how much memory a filter needs, or how good it gets",
	.options = plan_options,
	.notes = "KEYS like 1000, 1M, 1e6; FPR and SHARE like 1% or 0.01; BYTES like 64MiB.\n",
};
