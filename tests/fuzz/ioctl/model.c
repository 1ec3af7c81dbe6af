// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <gloom/core.h>

#include "model.h"

static struct model models[MAX_MODELS];
static _Atomic unsigned int nr_models;

void model_reset(void)
{
	unsigned int i;

	for (i = 0; i < nr_models; i++) {
		free(models[i].must);
		free(models[i].may);
	}
	nr_models = 0;
}

/* The caller keeps others out. */
struct model *model_new(const struct gloom_create *args, uint64_t id)
{
	size_t bytes = args->nr_blocks * sizeof(struct gloom_block);
	struct model *model = &models[nr_models];

	if (nr_models == MAX_MODELS)
		return NULL;
	memset(model, 0, sizeof(*model));
	model->must = aligned_alloc(sizeof(struct gloom_block), bytes);
	model->may = aligned_alloc(sizeof(struct gloom_block), bytes);
	if (!model->must || !model->may)
		abort();
	memset(model->must, 0, bytes);
	memset(model->may, 0, bytes);
	model->args = *args;
	model->id = id;
	nr_models++;
	return model;
}

struct model *model_find(uint64_t id)
{
	unsigned int i;

	for (i = 0; i < nr_models; i++) {
		if (models[i].id == id)
			return &models[i];
	}
	return NULL;
}

uint64_t model_hash(const struct model *model, const void *key, uint32_t len)
{
	uint64_t hash;

	if (model->args.hash == GLOOM_HASH_XXH64)
		return XXH64(key, len, model->args.seed);
	memcpy(&hash, key, sizeof(hash));
	return hash;
}

static struct gloom_block *find_block(const struct model *model,
				      struct gloom_block *blocks, uint64_t hash)
{
	return &blocks[gloom_block_index(hash, model->args.nr_blocks)];
}

bool model_must(const struct model *model, uint64_t hash)
{
	return gloom_block_test(find_block(model, model->must, hash),
				gloom_block_hash(hash), model->args.k);
}

bool model_may(const struct model *model, uint64_t hash)
{
	return gloom_block_test(find_block(model, model->may, hash),
				gloom_block_hash(hash), model->args.k);
}

void model_set_may(struct model *model, uint64_t hash)
{
	gloom_block_add(find_block(model, model->may, hash),
			gloom_block_hash(hash), model->args.k);
}

void model_set_must(struct model *model, uint64_t hash)
{
	gloom_block_add(find_block(model, model->must, hash),
			gloom_block_hash(hash), model->args.k);
}

static uint64_t count(const struct model *model,
		      const struct gloom_block *blocks)
{
	const unsigned long *word = blocks->word;
	const unsigned long *end = blocks[model->args.nr_blocks].word;
	uint64_t bits = 0;

	for (; word < end; word++)
		bits += __builtin_popcountl(__atomic_load_n(word,
							    __ATOMIC_RELAXED));
	return bits;
}

void model_bits(const struct model *model, uint64_t *must, uint64_t *may)
{
	*must = count(model, model->must);
	*may = count(model, model->may);
}
