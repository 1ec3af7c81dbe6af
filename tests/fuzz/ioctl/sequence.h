/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequences of calls: what the fuzzer makes, mutates, runs and keeps.
 *
 * As text a step is a line: its thread, what it does, and the fields that are
 * not 0, in hexadecimal. For most fields 0 is what a good program has.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_STEPS	24
#define MAX_THREADS	8
#define NR_SLOTS	8	/* files that a sequence has */

enum action {
	ACT_CREATE, ACT_OPEN, ACT_UNLINK, ACT_NEXT, ACT_QUERY,
	ACT_INFO, ACT_ADD, ACT_TEST, ACT_BATCH,
	ACT_CLOSE, ACT_DUP, ACT_REOPEN, ACT_CHMOD, ACT_CHOWN, ACT_MMAP,
	ACT_FILE,		/* a system call that filters do not have */
	ACT_RAW,		/* any command with any argument */
	ACT_USER,		/* change the thread's fsuid */
	ACT_SIGNAL,		/* interrupt another thread */
	ACT_SCRIBBLE,		/* write to memory that arguments are in */
	NR_ACTIONS
};

enum field {
	F_FILE,			/* a slot, or one of the below */
	F_TO,			/* the slot for a new file */
	F_SIZE,			/* 0: the structure's; else so many, plus 1 */
	F_TAIL,			/* a byte behind the structure */
	F_FLAGS, F_NAME, F_BLOCKS, F_K, F_HASH, F_LAYOUT, F_MODE, F_SEED,
	F_CAPACITY, F_NODE, F_OP, F_KEY_SIZE, F_NR,
	F_KEY,			/* number of the first key */
	F_LEN,			/* length of a key; of many: which lengths */
	F_BAD,			/* 1 plus the index of a length ... */
	F_BAD_LEN,		/* ... that is this instead */
	F_KEYS_SIZE,		/* 0: the right one; else so many, plus 1 */
	F_RESERVED,
	F_ARG, F_KEYS, F_LENS, F_RESULTS,	/* places, see memory.h */
	F_COMMAND, F_VALUE, F_COUNT,
	NR_FIELDS
};

/* F_FILE beyond the slots. */
enum { FILE_DEVICE = NR_SLOTS, FILE_NONE, FILE_NULL, NR_FILES };

/* F_NAME: none, five that are valid, others that are not. */
#define NR_VALID_NAMES	6
#define NR_NAMES	13

struct step {
	uint8_t action;
	uint8_t thread;
	uint64_t field[NR_FIELDS];
};

struct sequence {
	unsigned int nr;
	struct step step[MAX_STEPS];
};

/* All choices come from here, so a seed repeats them. */
void random_seed(uint64_t seed);
uint64_t random_below(uint64_t limit);

void sequence_random(struct sequence *seq, unsigned int nr_threads);
void sequence_mutate(struct sequence *seq, const struct sequence *other,
		     unsigned int nr_threads);
void sequence_remove(struct sequence *seq, unsigned int step);
bool sequence_solo(const struct sequence *seq, unsigned int nr_threads);

/* The name with that number, zeroes behind it to 64 bytes. */
void name_bytes(char to[64], uint64_t number);

/* Every line begins with prefix. */
void sequence_print(FILE *file, const char *prefix, const struct sequence *seq);
/* Empty lines and such that begin with # are left out. */
bool sequence_read(FILE *file, struct sequence *seq);

#endif /* SEQUENCE_H */
