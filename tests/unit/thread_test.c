// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads on few blocks. Each test makes the same small race many times:
 * all threads wait for the start of a round, then go for one fresh filter.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "local.h"

#define MAX_THREADS	16
#define MAX_KEYS	64
#define NR_ROUNDS	200

struct race {
	struct gloom_filter *filter;
	enum gloom_op op;
	bool batch;		/* all keys by one call */
	bool shared;		/* all threads have the same keys */
	unsigned int nr_threads, nr_keys;
	unsigned int started;	/* threads that wait for the others */
	/* How many threads were told that the key was new. */
	unsigned int winners[MAX_THREADS * MAX_KEYS];
};

struct runner {
	struct race *race;
	unsigned int number;
	pthread_t thread;
};

static int one(struct gloom_filter *filter, enum gloom_op op, uint64_t key)
{
	return op == GLOOM_ADD ? gloom_add(filter, &key, sizeof(key)) :
				 gloom_test_and_add(filter, &key, sizeof(key));
}

static void *run(void *arg)
{
	struct runner *runner = arg;
	struct race *race = runner->race;
	uint64_t keys[MAX_KEYS], base = runner->number * race->nr_keys;
	uint8_t results[MAX_KEYS / 8];
	unsigned int i;

	if (race->shared)
		base = 0;
	for (i = 0; i < race->nr_keys; i++)
		keys[i] = base + i;

	__atomic_fetch_add(&race->started, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&race->started, __ATOMIC_RELAXED) <
	       race->nr_threads)
		sched_yield();

	if (race->batch) {
		const struct gloom_keys batch = {
			.data = keys,
			.nr = race->nr_keys,
			.key_size = sizeof(keys[0]),
		};

		gloom_batch(race->filter, race->op, &batch, results, NULL);
	}
	for (i = 0; i < race->nr_keys; i++) {
		int won = race->batch ? results[i / 8] >> i % 8 & 1 :
					one(race->filter, race->op, keys[i]);

		__atomic_fetch_add(&race->winners[keys[i]], won,
				   __ATOMIC_RELAXED);
	}
	return NULL;
}

static void run_race(struct race *race)
{
	struct runner runners[MAX_THREADS];
	unsigned int i;

	race->started = 0;
	for (i = 0; i < MAX_THREADS * MAX_KEYS; i++)
		race->winners[i] = 0;
	for (i = 0; i < race->nr_threads; i++) {
		runners[i] = (struct runner){ .race = race, .number = i };
		if (pthread_create(&runners[i].thread, NULL, run, &runners[i]))
			abort();
	}
	for (i = 0; i < race->nr_threads; i++)
		pthread_join(runners[i].thread, NULL);
}

/*
 * 16 threads add to 1 to 4 blocks: every key is found, and the bits are those
 * that one thread alone sets.
 */
static void no_bit_is_lost(void)
{
	struct race race = { .nr_threads = 16, .nr_keys = 8 };
	unsigned int round;
	uint64_t key;

	for (round = 0; round < NR_ROUNDS; round++) {
		const unsigned int nr_blocks = 1 + round % 4;
		struct gloom_filter *alone;

		race.op = round & 4 ? GLOOM_TEST_AND_ADD : GLOOM_ADD;
		race.batch = round & 8;
		race.filter = local_create(nr_blocks, 4, GLOOM_XXH3);
		alone = local_create(nr_blocks, 4, GLOOM_XXH3);
		run_race(&race);
		for (key = 0; key < race.nr_threads * race.nr_keys; key++) {
			CHECK_EQ(gloom_test(race.filter, &key, 8), 1);
			gloom_add(alone, &key, 8);
		}
		CHECK_EQ(local_info(race.filter).bits_set,
			 local_info(alone).bits_set);
		CHECK_EQ(local_info(race.filter).adds, key);
		gloom_close(race.filter);
		gloom_close(alone);
	}
}

/* 8 threads, the same keys: each is new for exactly one of them. */
static void one_wins_test_and_add(void)
{
	struct race race = {
		.op = GLOOM_TEST_AND_ADD,
		.shared = true,
		.nr_threads = 8,
		.nr_keys = MAX_KEYS,
	};
	unsigned int round, i;

	for (round = 0; round < NR_ROUNDS; round++) {
		/* So many blocks that no key hides another. */
		race.filter = local_create(5000, 16, GLOOM_XXH3);
		race.batch = round & 1;
		run_race(&race);
		for (i = 0; i < race.nr_keys; i++)
			CHECK_EQ(race.winners[i], 1);
		CHECK_EQ(local_info(race.filter).adds_new, race.nr_keys);
		gloom_close(race.filter);
	}
}

/*
 * Of plain adds each that set a bit is told: one or more, and exactly one if
 * there is one bit to set.
 */
static void who_sets_a_bit_wins_add(void)
{
	struct race race = {
		.op = GLOOM_ADD,
		.shared = true,
		.nr_threads = 8,
		.nr_keys = MAX_KEYS,
	};
	unsigned int round, i;

	for (round = 0; round < 2 * NR_ROUNDS; round++) {
		const unsigned int k = round & 2 ? 16 : 1;

		race.filter = local_create(5000, k, GLOOM_XXH3);
		race.batch = round & 1;
		run_race(&race);
		for (i = 0; i < race.nr_keys; i++) {
			CHECK(race.winners[i] >= 1);
			if (k == 1)
				CHECK_EQ(race.winners[i], 1);
		}
		gloom_close(race.filter);
	}
}

/* Two writers that say by a relaxed store how far they came. */
struct diary {
	struct gloom_filter *filter;
	uint64_t nr_keys;
	uint64_t written[2];
	unsigned int missing;
};

struct author {
	struct diary *diary;
	unsigned int number;
	pthread_t thread;
};

static void *write_keys(void *arg)
{
	struct author *author = arg;
	struct diary *diary = author->diary;
	uint64_t i, key;

	for (i = 0; i < diary->nr_keys; i++) {
		key = 2 * i + author->number;
		gloom_add(diary->filter, &key, sizeof(key));
		__atomic_store_n(&diary->written[author->number], i + 1,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *read_keys(void *arg)
{
	struct author *author = arg;
	struct diary *diary = author->diary;
	uint64_t *written = &diary->written[author->number];
	uint64_t nr = 0, key;

	while (nr < diary->nr_keys) {
		nr = __atomic_load_n(written, __ATOMIC_RELAXED);
		if (!nr)
			continue;
		key = 2 * (nr - 1) + author->number;
		if (gloom_test(diary->filter, &key, sizeof(key)) != 1)
			__atomic_fetch_add(&diary->missing, 1,
					   __ATOMIC_RELAXED);
	}
	return NULL;
}

static void returned_adds_are_seen(void)
{
	struct diary diary = { .nr_keys = 100000 };
	struct author authors[4];
	uint64_t key;
	int i;

	diary.filter = local_sized(diary.nr_keys * 2, 0.001, GLOOM_XXH3);
	for (i = 0; i < 4; i++) {
		authors[i].diary = &diary;
		authors[i].number = i / 2;
		if (pthread_create(&authors[i].thread, NULL,
				   i % 2 ? read_keys : write_keys, &authors[i]))
			abort();
	}
	for (i = 0; i < 4; i++)
		pthread_join(authors[i].thread, NULL);
	CHECK_EQ(diary.missing, 0);
	for (key = 0; key < diary.nr_keys * 2; key++)
		CHECK_EQ(gloom_test(diary.filter, &key, sizeof(key)), 1);
	gloom_close(diary.filter);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(no_bit_is_lost),
		TEST(one_wins_test_and_add),
		TEST(who_sets_a_bit_wins_add),
		TEST(returned_adds_are_seen),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
