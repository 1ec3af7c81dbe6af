/* SPDX-License-Identifier: GPL-2.0 */
/* Sequences that are kept, with the features they have. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "sequence.h"

void corpus_add(const struct sequence *seq, const uint32_t *features,
		size_t nr);
size_t corpus_size(void);
size_t corpus_features(void);

/* Has it a feature that none of the kept ones has? These come first then. */
size_t corpus_new(uint32_t *features, size_t nr);

/* One of them, more often a late one. */
const struct sequence *corpus_pick(void);

/* The few that have most of the features, as files. Returns their number. */
int corpus_write(const char *folder);

/* Calls @function with each file of a folder, by name; -1 if one is bad. */
int corpus_read(const char *folder, int (*function)(struct sequence *seq));

#endif /* CORPUS_H */
