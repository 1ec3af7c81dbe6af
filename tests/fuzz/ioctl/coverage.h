/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sequence reached: places in the module as KCOV tells them, each with
 * the one before it; and what its calls returned, which is known without KCOV.
 * Both are features, small numbers.
 */
#ifndef COVERAGE_H
#define COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NR_FEATURES	0x12000

/* For the calling thread. False if there is no KCOV. */
bool coverage_open(unsigned int thread);

/* Around a step of the calling thread. */
void coverage_begin(unsigned int thread);
void coverage_end(unsigned int thread, unsigned int action, int result);

/* Features of all steps since the last call, each once. */
size_t coverage_take(uint32_t features[NR_FEATURES]);

/* Different places that were ever reached. */
unsigned int coverage_places(void);

#endif /* COVERAGE_H */
