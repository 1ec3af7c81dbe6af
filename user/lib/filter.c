// SPDX-License-Identifier: MIT
/* The functions of a handle, for both backends. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "hash.h"
#include "lib.h"

/*
 * A rate, 0 < rate < 1, in units of 2^-64, rounded to nearest but not to
 * none. The largest rate below 1 is 2^64 - 2^11 of them.
 */
static uint64_t rate_to_fixed(double rate)
{
	double units = rint(ldexp(rate, 64));

	return units < 1 ? 1 : (uint64_t)units;
}

static double rate_from_fixed(uint64_t units)
{
	return ldexp((double)units, -64);
}

/* Are the bytes of a structure that this library does not know unused? */
static bool tail_zero(const void *structure, size_t known, size_t size)
{
	const char *byte = structure;

	for (; known < size; known++) {
		if (byte[known])
			return false;
	}
	return true;
}

static int create_size(struct gloom_create *args,
		       const struct gloom_options *options)
{
	struct gloom_plan plan;
	int err;

	args->capacity = options->capacity;
	if (options->nr_blocks || options->k) {
		if (!options->nr_blocks || !options->k ||
		    options->nr_blocks > GLOOM_BLOCKS_MAX ||
		    options->k > GLOOM_K_MAX)
			return -EINVAL;
		args->nr_blocks = options->nr_blocks;
		args->k = options->k;
		return 0;
	}
	err = gloom_plan(&plan, options->capacity, options->fpr,
			 options->max_k);
	if (err)
		return err;
	args->nr_blocks = plan.nr_blocks;
	args->k = plan.k;
	args->fpr = rate_to_fixed(options->fpr);
	return 0;
}

/* What the options mean, as the kernel wants it. */
static int create_args(struct gloom_create *args, const char *name,
		       const struct gloom_options *options)
{
	const unsigned int known = GLOOM_LOCAL | GLOOM_SEED | GLOOM_NODE;
	int err;

	if (options->size < sizeof(*options) || options->size > SIZE_SANE ||
	    !tail_zero(options, sizeof(*options), options->size))
		return -EINVAL;
	if (options->flags & ~known || options->mode & ~0666U)
		return -EINVAL;
	if (options->hash != GLOOM_XXH64 && options->hash != GLOOM_XXH3 &&
	    options->hash != GLOOM_PREHASHED)
		return -EINVAL;
	if (name && options->flags & GLOOM_LOCAL)
		return -EINVAL;

	memset(args, 0, sizeof(*args));
	args->hash = options->hash;
	args->layout = GLOOM_LAYOUT_1;
	args->mode = options->mode;
	if (options->flags & GLOOM_SEED)
		args->seed = options->seed;
	else
		args->flags |= GLOOM_CREATE_RANDOM_SEED;
	if (options->flags & GLOOM_NODE) {
		args->flags |= GLOOM_CREATE_NODE;
		args->node = options->node;
	}
	err = name ? gloom_device_name(args->name, name) : 0;
	return err ? err : create_size(args, options);
}

int gloom_create(struct gloom_filter **filter, const char *name,
		 const struct gloom_options *options)
{
	static const struct gloom_options defaults = GLOOM_OPTIONS_INIT;
	struct gloom_create args;
	int err;

	if (!options)
		options = &defaults;
	err = create_args(&args, name, options);
	if (err)
		return err;
	if (options->flags & GLOOM_LOCAL)
		return gloom_local_create(filter, &args);
	return gloom_device_create(filter, &args);
}

int gloom_fd(const struct gloom_filter *filter)
{
	return filter->fd;
}

void gloom_close(struct gloom_filter *filter)
{
	if (filter)
		filter->ops->close(filter);
}

/* May the handle be used for that? */
static int access_check(const struct gloom_filter *filter, enum gloom_op op)
{
	unsigned int need = 0;

	switch (op) {
	case GLOOM_TEST:
		need = GLOOM_READ;
		break;
	case GLOOM_ADD:
		need = GLOOM_WRITE;
		break;
	case GLOOM_TEST_AND_ADD:
		need = GLOOM_READ | GLOOM_WRITE;
		break;
	}
	if (!need)
		return -EINVAL;
	return need & ~filter->access ? -EBADF : 0;
}

static int single(struct gloom_filter *filter, enum gloom_op op,
		  const void *key, size_t len)
{
	int err = access_check(filter, op);

	if (!err)
		err = gloom_key_check(filter->hash, key, len);
	return err ? err : filter->ops->single(filter, op, key, len);
}

int gloom_add(struct gloom_filter *filter, const void *key, size_t len)
{
	return single(filter, GLOOM_ADD, key, len);
}

int gloom_test(struct gloom_filter *filter, const void *key, size_t len)
{
	return single(filter, GLOOM_TEST, key, len);
}

int gloom_test_and_add(struct gloom_filter *filter, const void *key, size_t len)
{
	return single(filter, GLOOM_TEST_AND_ADD, key, len);
}

int64_t gloom_batch(struct gloom_filter *filter, enum gloom_op op,
		    const struct gloom_keys *keys, uint8_t *results,
		    uint64_t *positives)
{
	/* What the answers would be is for those who may test. */
	const bool blind = !(filter->access & GLOOM_READ);
	uint64_t positive = 0;
	int64_t done = access_check(filter, op);

	if (!done && keys->nr && !keys->key_size && !keys->lens)
		done = -EINVAL;
	if (!done && keys->nr)
		done = filter->ops->batch(filter, op, keys,
					  blind ? NULL : results, &positive);
	if (done < 0)
		return done;
	if (blind && results)
		memset(results, 0, done / 8 + !!(done % 8));
	if (positives)
		*positives = positive;
	return done;
}

int gloom_info(struct gloom_filter *filter, unsigned int flags,
	       struct gloom_filter_info *info)
{
	struct gloom_info raw = { 0 };
	const size_t size = info->size;
	int err;

	if (size < sizeof(*info) || size > SIZE_SANE ||
	    flags & ~GLOOM_COUNT_BITS)
		return -EINVAL;
	if (flags & GLOOM_COUNT_BITS)
		raw.flags = GLOOM_INFO_BITS_SET;
	err = filter->ops->info(filter, &raw);
	if (err)
		return err;

	memset(info, 0, size);
	*info = (struct gloom_filter_info){
		.size = size,
		.local = filter->fd < 0,
		.has_seed = raw.valid & GLOOM_INFO_SEED,
		.has_counters = raw.valid & GLOOM_INFO_COUNTERS,
		.has_bits_set = raw.valid & GLOOM_INFO_BITS_SET,
		.nr_blocks = raw.nr_blocks,
		.k = raw.k,
		.hash = (enum gloom_hash)raw.hash,
		.layout = raw.layout,
		.node = raw.node,
		.seed = raw.seed,
		.capacity = raw.capacity,
		.fpr = rate_from_fixed(raw.fpr),
		.bytes = raw.bytes,
		.generation = raw.generation,
		.id = raw.id,
		.adds = raw.adds,
		.adds_new = raw.adds_new,
		.tests = raw.tests,
		.positives = raw.positives,
		.bits_set = raw.bits_set,
	};
	memcpy(info->name, raw.name, sizeof(info->name));
	return 0;
}
