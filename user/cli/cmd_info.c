// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "estimate.h"
#include "filter.h"
#include "options.h"
#include "output.h"

static const struct command_option info_options[] = {
	{ OPTION_BITS, "bits", NULL, "count the bits set: reads all memory" },
	{ OPTION_JSON, "json", NULL, "print JSON" },
	{}
};

/* What follows from the numbers. NaN where they are not known. */
struct info_derived {
	double fill;		/* share of bits set */
	double keys;		/* different keys in it */
	double fpr;		/* now */
	double saturation;	/* that, over the rate asked for */
	double pass;		/* share of tests that said maybe */
};

static void info_derive(const struct gloom_filter_info *info,
			struct info_derived *derived)
{
	*derived = (struct info_derived){ NAN, NAN, NAN, NAN, NAN };
	if (info->has_bits_set) {
		derived->fill = info->bits_set / (info->nr_blocks * 512.0);
		derived->keys = estimate_from_bits(info->nr_blocks, info->k,
						   info->bits_set);
	} else if (info->has_counters) {
		derived->keys = estimate_from_adds(info->nr_blocks, info->k,
						   info->adds_new);
	}
	if (isinf(derived->keys))
		derived->fpr = 1;
	else if (!isnan(derived->keys))
		derived->fpr = gloom_fpr(info->nr_blocks, info->k,
					 derived->keys);
	if (info->fpr > 0)
		derived->saturation = derived->fpr / info->fpr;
	if (info->has_counters && info->tests)
		derived->pass = (double)info->positives / info->tests;
}

static json_t *json_known(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void info_json(const struct gloom_filter *filter,
		      const struct gloom_filter_info *info)
{
	static const char * const counters[] = {
		"adds", "adds_new", "tests", "positives"
	};
	const uint64_t values[] = {
		info->adds, info->adds_new, info->tests, info->positives
	};
	struct info_derived derived;
	json_t *object = json_object();
	size_t i;

	info_derive(info, &derived);
	filter_describe(object, filter, info);
	json_object_set_new(object, "id", json_u64(info->id));
	json_object_set_new(object, "generation", json_u64(info->generation));
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		json_object_set_new(object, counters[i], info->has_counters ?
				    json_u64(values[i]) : json_null());
	json_object_set_new(object, "pass_through", json_known(derived.pass));
	json_object_set_new(object, "bits_set", info->has_bits_set ?
			    json_u64(info->bits_set) : json_null());
	json_object_set_new(object, "fill", json_known(derived.fill));
	json_object_set_new(object, "keys_estimate",
			    json_known(round(derived.keys)));
	json_object_set_new(object, "fpr_now", json_known(derived.fpr));
	json_object_set_new(object, "saturation",
			    json_known(derived.saturation));
	output_json(object);
}

static void info_purpose(const struct gloom_filter_info *info)
{
	char text[FORMAT_SIZE];

	printf("memory       %s (%" PRIu64 " bytes)\n",
	       format_bytes(text, info->bytes), info->bytes);
	printf("blocks       %" PRIu64 "\n", info->nr_blocks);
	printf("k            %u\n", info->k);
	printf("hash         %s\n", filter_hash_name(info->hash));
	printf("layout       %u\n", info->layout);
	if (info->has_seed)
		printf("seed         0x%016" PRIx64 "\n", info->seed);
	if (info->node >= 0)
		printf("node         %d\n", info->node);
	printf("generation   %" PRIu64 "\n", info->generation);
	if (info->capacity)
		printf("capacity     %" PRIu64 " keys\n", info->capacity);
	if (info->fpr > 0)
		printf("fpr asked    %s\n", format_share(text, info->fpr));
}

static void info_text(const struct gloom_filter *filter,
		      const struct gloom_filter_info *info)
{
	struct info_derived derived;
	unsigned int uid, gid, mode;
	char text[FORMAT_SIZE];

	info_derive(info, &derived);
	printf("name         %s\n", info->name);
	printf("id           %" PRIu64 "\n", info->id);
	if (filter_owner(filter, &uid, &gid, &mode))
		printf("owner        %u:%u\nmode         %04o\n", uid, gid,
		       mode);
	info_purpose(info);
	if (!info->has_counters) {
		puts("             no read permission, so no more is known");
		return;
	}
	printf("adds         %" PRIu64 "\n", info->adds);
	printf("new          %" PRIu64 "\n", info->adds_new);
	printf("tests        %" PRIu64 "\n", info->tests);
	printf("positives    %" PRIu64 "\n", info->positives);
	if (!isnan(derived.pass))
		printf("pass-through %s of tests\n",
		       format_share(text, derived.pass));
	if (info->has_bits_set)
		printf("bits set     %" PRIu64 "\nfill         %s\n",
		       info->bits_set, format_share(text, derived.fill));
	if (isfinite(derived.keys))
		printf("keys         %.0f (estimate)\n", derived.keys);
	printf("fpr now      %s\n", format_share(text, derived.fpr));
	if (!isnan(derived.saturation))
		printf("saturation   %s\n",
		       format_share(text, derived.saturation));
}

static int info_filter(const char *name, bool bits, bool json)
{
	struct gloom_filter_info info;
	struct gloom_filter *filter;
	int code, error;

	code = filter_open(name, GLOOM_READ, bits ? 0 : GLOOM_WRITE, &filter,
			   &info);
	if (code)
		return code;
	if (bits) {
		error = gloom_info(filter, GLOOM_COUNT_BITS, &info);
		if (error) {
			gloom_close(filter);
			return filter_error(name, error);
		}
	}
	if (json)
		info_json(filter, &info);
	else
		info_text(filter, &info);
	gloom_close(filter);
	return CLI_OK;
}

static int info_run(int argc, char **argv)
{
	bool bits = false, json = false;
	struct options options;
	int key;

	options_init(&options, &command_info, argc, argv);
	while ((key = options_next(&options)) != OPTIONS_END) {
		switch (key) {
		case OPTION_BITS:
			bits = true;
			break;
		case OPTION_JSON:
			json = true;
			break;
		default:
			return options.exit;
		}
	}
	if (!options_words(&options, 1, 1))
		return CLI_ERROR;
	return info_filter(options.argv[0], bits, json);
}

const struct command command_info = {
	.name = "info",
	.run = info_run,
	.usage = "NAME [--bits] [--json]",
	.summary = "Show all about a filter",
	.options = info_options,
};
