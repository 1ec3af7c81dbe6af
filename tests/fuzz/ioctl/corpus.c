// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "corpus.h"
#include "coverage.h"

/* What is kept as files. The first of them have nearly all. */
#define MOST_FILES	60

struct entry {
	struct sequence seq;
	size_t nr;
	uint32_t *features;
};

static struct entry **entries;
static size_t nr_entries;
static uint8_t seen[NR_FEATURES];

static void *must_have(void *memory)
{
	if (!memory) {
		perror("malloc");
		exit(1);
	}
	return memory;
}

void corpus_add(const struct sequence *seq, const uint32_t *features, size_t nr)
{
	struct entry *entry = must_have(malloc(sizeof(*entry)));
	size_t i;

	entry->seq = *seq;
	entry->nr = nr;
	entry->features = must_have(malloc(nr * sizeof(*features) + 1));
	memcpy(entry->features, features, nr * sizeof(*features));
	entries = must_have(realloc(entries,
				    (nr_entries + 1) * sizeof(*entries)));
	entries[nr_entries++] = entry;
	for (i = 0; i < nr; i++)
		seen[features[i]] = 1;
}

size_t corpus_size(void)
{
	return nr_entries;
}

size_t corpus_features(void)
{
	size_t nr = 0, i;

	for (i = 0; i < NR_FEATURES; i++)
		nr += seen[i];
	return nr;
}

size_t corpus_new(uint32_t *features, size_t nr)
{
	size_t nr_new = 0, i;

	for (i = 0; i < nr; i++) {
		uint32_t feature = features[i];

		if (seen[feature])
			continue;
		features[i] = features[nr_new];
		features[nr_new++] = feature;
	}
	return nr_new;
}

const struct sequence *corpus_pick(void)
{
	/* The last quarter as often as all. */
	size_t nr = random_below(2) ? nr_entries / 4 + 1 : nr_entries;

	return &entries[nr_entries - 1 - random_below(nr)]->seq;
}

static size_t missing(const struct entry *entry, const uint8_t *have)
{
	size_t nr = 0, i;

	for (i = 0; i < entry->nr; i++)
		nr += !have[entry->features[i]];
	return nr;
}

static int entry_write(const char *folder, const struct entry *entry,
		       int number)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%03d", folder, number);
	file = fopen(path, "we");
	if (!file) {
		perror(path);
		return -1;
	}
	sequence_print(file, "", &entry->seq);
	return fclose(file);
}

int corpus_write(const char *folder)
{
	static uint8_t have[NR_FEATURES];
	int number = 0;

	if (mkdir(folder, 0777) && errno != EEXIST) {
		perror(folder);
		return -1;
	}
	memset(have, 0, sizeof(have));
	for (;;) {
		const struct entry *best = NULL;
		size_t most = 0, i;

		for (i = 0; i < nr_entries; i++) {
			size_t nr = missing(entries[i], have);

			if (nr > most) {
				most = nr;
				best = entries[i];
			}
		}
		if (!best || number == MOST_FILES)
			return number;
		for (i = 0; i < best->nr; i++)
			have[best->features[i]] = 1;
		if (entry_write(folder, best, number++))
			return -1;
	}
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int corpus_read(const char *folder, int (*function)(struct sequence *seq))
{
	struct dirent **names;
	int nr = scandir(folder, &names, is_file, alphasort), i, rc = 0;

	if (nr < 0) {
		perror(folder);
		return -1;
	}
	for (i = 0; i < nr && !rc; i++) {
		struct sequence seq;
		char path[512];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder,
			 names[i]->d_name);
		file = fopen(path, "re");
		if (!file || !sequence_read(file, &seq)) {
			fprintf(stderr, "%s is not a sequence\n", path);
			rc = -1;
		}
		if (file)
			fclose(file);
		if (!rc)
			rc = function(&seq);
		free(names[i]);
	}
	free(names);
	return rc;
}
