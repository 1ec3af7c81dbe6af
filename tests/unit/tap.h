/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program is a table of functions, each of which is one result in KTAP.
 * A check that fails says where and what, and ends its function; so checks are
 * for the thread that called it.
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tap_test {
	const char *name;
	void (*run)(void);
};

static jmp_buf tap_end;
static unsigned int tap_passed;

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define TEST(function)		{ #function, function }

#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			printf("# %s:%d: %s\n", __FILE__, __LINE__,	\
			       #condition);				\
			longjmp(tap_end, 1);				\
		}							\
	} while (0)

/* Integers that must be equal; both are printed when they are not. */
#define CHECK_EQ(is, shall)						\
	do {								\
		int64_t is_ = (int64_t)(is), shall_ = (int64_t)(shall);	\
									\
		if (is_ != shall_) {					\
			printf("# %s:%d: %s is %" PRId64 ", not %"	\
			       PRId64 "\n", __FILE__, __LINE__, #is,	\
			       is_, shall_);				\
			longjmp(tap_end, 1);				\
		}							\
	} while (0)

/* Runs all; the exit status is whether one failed. */
static inline int tap_run(const struct tap_test *tests, unsigned int nr)
{
	static unsigned int i;	/* what is not static a longjmp() may undo */

	printf("TAP version 13\n1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		const unsigned int passed = tap_passed;

		if (!setjmp(tap_end)) {
			tests[i].run();
			tap_passed++;
		}
		printf("%sok %u - %s\n", tap_passed > passed ? "" : "not ",
		       i + 1, tests[i].name);
		fflush(stdout);
	}
	return tap_passed < nr;
}

/* Well mixed numbers, the same in each run: SplitMix64. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif /* TAP_H */
