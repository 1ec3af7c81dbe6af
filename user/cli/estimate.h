/* SPDX-License-Identifier: MIT */
/*
 * How many different keys a filter has. It does not know; these are the most
 * likely numbers. Infinite when it is so full that none can be told.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include <stdint.h>

/* From the bits that are set. */
double estimate_from_bits(uint64_t nr_blocks, unsigned int k,
			  uint64_t bits_set);

/* From the adds that were new: that of a false positive does not seem so. */
double estimate_from_adds(uint64_t nr_blocks, unsigned int k,
			  uint64_t adds_new);

#endif /* ESTIMATE_H */
