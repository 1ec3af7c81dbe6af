// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "run.h"

/* Filters with more blocks are not counted: it takes too long. */
#define COUNTED_BLOCKS	5000

static void check(const struct model *model, const struct slot *slot,
		  const struct gloom_info *info, uint64_t must)
{
	const struct gloom_create *args = &model->args;
	bool exact = run.solo && !model->vague;
	uint64_t now, may;

	ORACLE(info->id == model->id && info->k == args->k &&
	       info->nr_blocks == args->nr_blocks &&
	       info->hash == args->hash && info->layout == args->layout &&
	       info->capacity == args->capacity && info->fpr == args->fpr &&
	       !memcmp(info->name, args->name, sizeof(info->name)),
	       "info tells of another filter");
	ORACLE(info->bytes >= args->nr_blocks * 64 && info->bytes % 4096 == 0,
	       "info: %llu bytes", (unsigned long long)info->bytes);
	ORACLE(!!(info->valid & GLOOM_INFO_COUNTERS) == slot->read,
	       "info: counters are not for readers only");
	if (!slot->read)
		ORACLE(!info->adds && !info->adds_new && !info->tests &&
		       !info->positives && !info->bits_set,
		       "info tells a writer what only readers may know");
	else if (exact)
		ORACLE(info->adds == model->adds &&
		       info->adds_new == model->adds_new &&
		       info->tests == model->tests &&
		       info->positives == model->positives,
		       "info: counters are wrong");
	if (!(info->valid & GLOOM_INFO_BITS_SET) ||
	    args->nr_blocks > COUNTED_BLOCKS)
		return;
	model_bits(model, &now, &may);
	ORACLE(info->bits_set >= must, "info: bits are missing");
	ORACLE(info->bits_set <= may || model->vague || run.vague,
	       "info: bits are set that nobody added");
}

int info_step(const struct step *step, unsigned int thread)
{
	struct slot slot = file_get(step);
	struct call call = { .step = step, .thread = thread };
	struct gloom_info args = { .flags = step->field[F_FLAGS] };
	uint64_t must = 0, may;
	bool good;

	if (slot.model && slot.model->args.nr_blocks <= COUNTED_BLOCKS)
		model_bits(slot.model, &must, &may);
	good = !(args.flags & ~GLOOM_INFO_FLAGS) &&
	       (slot.read || !args.flags);
	call_make(&call, slot.fd, GLOOM_IOC_INFO, &args, sizeof(args), true);
	if (!slot.model || call.unknown)
		return call.rc;
	if (run.solo)
		ORACLE(!call.rc == (good && call.good), "info: %d", call.rc);
	if (!call.rc)
		check(slot.model, &slot, &args, must);
	return call.rc;
}
