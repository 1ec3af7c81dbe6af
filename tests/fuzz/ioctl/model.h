/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What we know of a filter: the bits that must be set, because adds of them
 * returned, and those that may be, because adds of them have begun.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/gloom.h>

#define MAX_MODELS	64

struct model {
	uint64_t id;
	struct gloom_create args;	/* with the seed that it really has */
	struct gloom_block *must, *may;
	/* Unknown keys may have been added, or anything counted. */
	_Atomic bool vague;
	/* Good as long as all calls come from one thread. */
	uint64_t adds, adds_new, tests, positives;
};

/* Forget all filters. */
void model_reset(void);

/* NULL if there are too many. */
struct model *model_new(const struct gloom_create *args, uint64_t id);
struct model *model_find(uint64_t id);

uint64_t model_hash(const struct model *model, const void *key, uint32_t len);

bool model_must(const struct model *model, uint64_t hash);
bool model_may(const struct model *model, uint64_t hash);
void model_set_may(struct model *model, uint64_t hash);
void model_set_must(struct model *model, uint64_t hash);

/* How many bits must be set, and how many may. */
void model_bits(const struct model *model, uint64_t *must, uint64_t *may);

#endif /* MODEL_H */
