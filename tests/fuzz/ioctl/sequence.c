// SPDX-License-Identifier: GPL-2.0
/* Sequences as text and as bytes of names; chance is in mutate.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sequence.h"

#define SPACES	"\n "

static const char * const actions[NR_ACTIONS] = {
	"create", "open", "unlink", "next", "query",
	"info", "add", "test", "batch",
	"close", "dup", "reopen", "chmod", "chown", "mmap",
	"file", "raw", "user", "signal", "scribble",
};

static const char * const fields[NR_FIELDS] = {
	"file", "to", "size", "tail",
	"flags", "name", "blocks", "k", "hash", "layout", "mode", "seed",
	"capacity", "node", "op", "key_size", "nr",
	"key", "len", "bad", "bad_len", "keys_size", "reserved",
	"arg", "keys", "lens", "results",
	"command", "value", "count",
};

bool sequence_solo(const struct sequence *seq, unsigned int nr_threads)
{
	unsigned int i;

	for (i = 1; i < seq->nr; i++) {
		if (seq->step[i].thread % nr_threads !=
		    seq->step[0].thread % nr_threads)
			return false;
	}
	return true;
}

void sequence_remove(struct sequence *seq, unsigned int step)
{
	seq->nr--;
	memmove(&seq->step[step], &seq->step[step + 1],
		(seq->nr - step) * sizeof(seq->step[0]));
}

void name_bytes(char to[64], uint64_t number)
{
	static const char * const names[NR_NAMES] = {
		"", "fuzz-a", "fuzz-b", "fuzz-ba", "fuzz-c@x:1",
		"fuzz-0123456789.0123456789_0123456789+0123456789:01234567890123",
		/* no room for the NUL */
		"fuzz-0123456789.0123456789_0123456789+0123456789:012345678901234",
		".fuzz", "-fuzz", "fuzz/a", "fuzz\xe9", "fuzz a",
		"fuzz-a",	/* with something behind it */
	};

	number %= NR_NAMES;
	memset(to, 0, 64);
	memcpy(to, names[number], strlen(names[number]));
	if (number == NR_NAMES - 1)
		to[63] = 1;
}

void sequence_print(FILE *file, const char *prefix, const struct sequence *seq)
{
	unsigned int i, f;

	for (i = 0; i < seq->nr; i++) {
		const struct step *step = &seq->step[i];

		fprintf(file, "%s%u %s", prefix, step->thread,
			actions[step->action]);
		for (f = 0; f < NR_FIELDS; f++) {
			if (step->field[f])
				fprintf(file, " %s=%" PRIx64, fields[f],
					step->field[f]);
		}
		fputc('\n', file);
	}
}

static int find(const char * const *words, int nr, const char *word)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(words[i], word))
			return i;
	}
	return -1;
}

static bool step_read(struct step *step, char *line)
{
	char *word, *value, *rest;
	int number;

	memset(step, 0, sizeof(*step));
	word = strtok_r(line, SPACES, &rest);
	step->thread = strtoul(word, &value, 10);
	if (*value)
		return false;
	word = strtok_r(NULL, SPACES, &rest);
	number = word ? find(actions, NR_ACTIONS, word) : -1;
	if (number < 0)
		return false;
	step->action = number;
	while ((word = strtok_r(NULL, SPACES, &rest))) {
		value = strchr(word, '=');
		if (!value)
			return false;
		*value++ = 0;
		number = find(fields, NR_FIELDS, word);
		if (number < 0)
			return false;
		step->field[number] = strtoull(value, &value, 16);
		if (*value)
			return false;
	}
	return true;
}

bool sequence_read(FILE *file, struct sequence *seq)
{
	char line[1024];

	seq->nr = 0;
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[strspn(line, SPACES)] == 0)
			continue;
		if (seq->nr == MAX_STEPS ||
		    !step_read(&seq->step[seq->nr], line))
			return false;
		seq->nr++;
	}
	return seq->nr;
}
