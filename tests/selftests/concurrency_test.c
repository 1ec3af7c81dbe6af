// SPDX-License-Identifier: GPL-2.0
/*
 * Many at once: no bit is lost, exactly one wins a test-and-add, and an add
 * that returned is seen by whoever knows of it.
 */

#include <pthread.h>

#include <gloom/core.h>

#include "gloom_test.h"

/* ---- No bit is lost ------------------------------------------------- */

enum { WRITERS = 16, KEYS = 4, ROUNDS = 250 };

FIXTURE(writers)
{
	int dev;
};

FIXTURE_VARIANT(writers)
{
	__u64 nr_blocks;
	bool processes;
};

FIXTURE_VARIANT_ADD(writers, threads_1) {
	.nr_blocks = 1,
};

FIXTURE_VARIANT_ADD(writers, threads_2) {
	.nr_blocks = 2,
};

FIXTURE_VARIANT_ADD(writers, threads_4) {
	.nr_blocks = 4,
};

FIXTURE_VARIANT_ADD(writers, processes_1) {
	.nr_blocks = 1,
	.processes = true,
};

FIXTURE_VARIANT_ADD(writers, processes_3) {
	.nr_blocks = 3,
	.processes = true,
};

FIXTURE_SETUP(writers)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
}

FIXTURE_TEARDOWN(writers)
{
	close(self->dev);
}

/* In memory that threads and processes share. */
struct race {
	pthread_barrier_t barrier;
	int fds[ROUNDS];
	__u32 wrong;
};

static __u64 race_hash(int round, int writer, int key)
{
	return mixed((round * WRITERS + writer) * KEYS + key);
}

/* All of them add a few keys of their own to a new filter at the same time. */
static void write_rounds(struct race *race, int writer)
{
	__u64 hashes[KEYS];
	struct gloom_batch b;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < KEYS; i++)
			hashes[i] = race_hash(round, writer, i);
		pthread_barrier_wait(&race->barrier);
		if (writer % 2) {
			for (i = 0; i < KEYS; i++)
				if (add_hash(race->fds[round], hashes[i]) < 0)
					race->wrong++;
		} else {
			b = hashes_args(GLOOM_OP_ADD, hashes, KEYS, NULL);
			if (batch(race->fds[round], &b) || b.nr_done != KEYS)
				race->wrong++;
		}
		/* Its own keys are there whatever the others do. */
		b = hashes_args(GLOOM_OP_TEST, hashes, KEYS, NULL);
		if (batch(race->fds[round], &b) || b.nr_positive != KEYS)
			race->wrong++;
	}
}

struct writer {
	struct race *race;
	int number;
};

static void *writer_thread(void *arg)
{
	struct writer *w = arg;

	write_rounds(w->race, w->number);
	return NULL;
}

TEST_F(writers, lose_no_bit)
{
	struct race *race = shared(sizeof(*race));
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS];
	pthread_barrierattr_t attr;
	struct gloom_block *blocks;
	pid_t pids[WRITERS];
	int round, w, i;
	__u64 bits, h;
	__u32 b;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	ASSERT_EQ(0, pthread_barrier_init(&race->barrier, &attr, WRITERS));
	for (round = 0; round < ROUNDS; round++) {
		race->fds[round] = create_filter(self->dev,
						 GLOOM_HASH_PREHASHED,
						 variant->nr_blocks, 8);
		ASSERT_LE(0, race->fds[round]);
	}
	for (w = 0; w < WRITERS; w++) {
		writers[w] = (struct writer){ race, w };
		if (!variant->processes) {
			ASSERT_EQ(0, pthread_create(&threads[w], NULL,
						    writer_thread,
						    &writers[w]));
			continue;
		}
		pids[w] = fork();
		ASSERT_LE(0, pids[w]);
		if (!pids[w]) {
			write_rounds(race, w);
			_exit(0);
		}
	}
	for (w = 0; w < WRITERS; w++) {
		ASSERT_EQ(0, variant->processes ? wait_child(pids[w]) :
			     pthread_join(threads[w], NULL));
	}
	EXPECT_EQ(0, race->wrong);

	blocks = aligned_alloc(64, variant->nr_blocks * 64);
	for (round = 0; round < ROUNDS; round++) {
		memset(blocks, 0, variant->nr_blocks * 64);
		for (w = 0; w < WRITERS; w++) {
			for (i = 0; i < KEYS; i++) {
				h = race_hash(round, w, i);
				b = gloom_block_index(h, variant->nr_blocks);
				gloom_block_add(&blocks[b], h, 8);
				ASSERT_EQ(1, test_hash(race->fds[round], h));
			}
		}
		bits = 0;
		for (b = 0; b < variant->nr_blocks * 64; b++)
			bits += __builtin_popcount(((__u8 *)blocks)[b]);
		ASSERT_EQ(bits, snapshot(race->fds[round]).bits_set);
		ASSERT_EQ(WRITERS * KEYS, snapshot(race->fds[round]).adds);
	}
}

/* ---- Who was first -------------------------------------------------- */

enum { RACERS = 8, RACES = 256, RACE_KEYS = 64 };

FIXTURE(winners)
{
	int dev;
	int fds[RACES];
};

/*
 * A racer does what its number modulo 2 says, in each race with the same keys
 * as all others. Either all races are on one filter, so large that no key is
 * hidden by others, or each is on one of its own, of a single block.
 */
FIXTURE_VARIANT(winners)
{
	__u32 op[2];
	bool small;
};

FIXTURE_VARIANT_ADD(winners, test_add) {
	.op = { GLOOM_OP_TEST_ADD, GLOOM_OP_TEST_ADD },
};

FIXTURE_VARIANT_ADD(winners, test_add_small) {
	.op = { GLOOM_OP_TEST_ADD, GLOOM_OP_TEST_ADD },
	.small = true,
};

FIXTURE_VARIANT_ADD(winners, add) {
	.op = { GLOOM_OP_ADD, GLOOM_OP_ADD },
};

FIXTURE_VARIANT_ADD(winners, mixed) {
	.op = { GLOOM_OP_TEST_ADD, GLOOM_OP_ADD },
};

FIXTURE_SETUP(winners)
{
	int i;

	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	for (i = 0; i < RACES; i++) {
		self->fds[i] = i && !variant->small ? self->fds[0] :
			       create_filter(self->dev, GLOOM_HASH_PREHASHED,
					     variant->small ? 1 : 65536, 4);
		ASSERT_LE(0, self->fds[i]);
	}
}

FIXTURE_TEARDOWN(winners)
{
	close(self->dev);
}

struct racer {
	pthread_barrier_t *barrier;
	const int *fds;
	__u32 op;
	int failed;
	__u8 results[RACES][RACE_KEYS / 8];
};

static void *racer_thread(void *arg)
{
	struct racer *r = arg;
	__u64 hashes[RACE_KEYS];
	struct gloom_batch b;
	int race, i;

	for (race = 0; race < RACES; race++) {
		for (i = 0; i < RACE_KEYS; i++)
			hashes[i] = mixed(race * RACE_KEYS + i);
		b = hashes_args(r->op, hashes, RACE_KEYS, r->results[race]);
		pthread_barrier_wait(r->barrier);
		if (batch(r->fds[race], &b) || b.nr_done != RACE_KEYS)
			r->failed++;
	}
	return NULL;
}

/* Are all bits of a key those of other keys too, in a filter of one block? */
static bool may_be_hidden(int race, int key)
{
	struct gloom_block others = { };
	int i;

	for (i = 0; i < RACE_KEYS; i++)
		if (i != key)
			gloom_block_add(&others, mixed(race * RACE_KEYS + i),
					4);
	return gloom_block_test(&others, mixed(race * RACE_KEYS + key), 4);
}

TEST_F(winners, one_each)
{
	static struct racer racers[RACERS];
	pthread_barrier_t barrier;
	pthread_t threads[RACERS];
	int race, i, r;
	__u64 wins = 0;

	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, RACERS));
	for (r = 0; r < RACERS; r++) {
		racers[r].barrier = &barrier;
		racers[r].fds = self->fds;
		racers[r].op = variant->op[r % 2];
		ASSERT_EQ(0, pthread_create(&threads[r], NULL, racer_thread,
					    &racers[r]));
	}
	for (r = 0; r < RACERS; r++) {
		ASSERT_EQ(0, pthread_join(threads[r], NULL));
		ASSERT_EQ(0, racers[r].failed);
	}
	for (race = 0; race < RACES; race++) {
		for (i = 0; i < RACE_KEYS; i++) {
			bool hidden = variant->small && may_be_hidden(race, i);
			int test_add = 0, all = 0;

			for (r = 0; r < RACERS; r++) {
				int won = bitmap_bit(racers[r].results[race],
						     i);

				all += won;
				if (racers[r].op == GLOOM_OP_TEST_ADD)
					test_add += won;
			}
			wins += all;
			ASSERT_LE(!hidden, all);
			ASSERT_GE(1, test_add);
			/* Nobody else can have been first. */
			if (variant->op[1] == GLOOM_OP_TEST_ADD && !hidden)
				ASSERT_EQ(1, test_add);
		}
	}
	/* Counting is exact too. */
	if (!variant->small) {
		struct gloom_info info = snapshot(self->fds[0]);

		EXPECT_EQ(RACERS * RACES * RACE_KEYS, info.adds);
		EXPECT_EQ(wins, info.adds_new);
	}
}

/* ---- What was published is there ------------------------------------ */

enum { PUBLISHED = 200000, READERS = 3 };

struct publication {
	__u64 nr;	/* keys that were added */
	__u64 checks;
	__u64 missing;
};

static __u64 published_hash(__u64 i)
{
	return mixed(i + 77);
}

/* Reads a number, then tests the key of that number, until all are there. */
static void read_published(struct publication *p, int fd)
{
	__u64 seen, i, checks = 0;

	do {
		seen = __atomic_load_n(&p->nr, __ATOMIC_RELAXED);
		if (!seen)
			continue;
		/* The newest, and any other. */
		i = checks % 2 ? seen - 1 : mixed(checks) % seen;
		if (test_hash(fd, published_hash(i)) != 1)
			__atomic_fetch_add(&p->missing, 1, __ATOMIC_RELAXED);
		checks++;
	} while (seen < PUBLISHED);
	__atomic_fetch_add(&p->checks, checks, __ATOMIC_RELAXED);
}

TEST(published_is_seen)
{
	struct publication *p = shared(sizeof(*p));
	int dev = open_device();
	int fd = create_filter(dev, GLOOM_HASH_PREHASHED, 16384, 8);
	__u64 hashes[64];
	struct gloom_batch b;
	pid_t pids[READERS];
	int r, i;

	ASSERT_LE(0, fd);
	for (r = 0; r < READERS; r++) {
		pids[r] = fork();
		ASSERT_LE(0, pids[r]);
		if (!pids[r]) {
			read_published(p, fd);
			_exit(0);
		}
	}
	while (p->nr < PUBLISHED) {
		if (p->nr % 3) {
			ASSERT_LE(0, add_hash(fd, published_hash(p->nr)));
			__atomic_store_n(&p->nr, p->nr + 1, __ATOMIC_RELAXED);
			continue;
		}
		for (i = 0; i < 64; i++)
			hashes[i] = published_hash(p->nr + i);
		b = hashes_args(GLOOM_OP_ADD, hashes, 64, NULL);
		ASSERT_EQ(0, batch(fd, &b));
		__atomic_store_n(&p->nr, p->nr + 64, __ATOMIC_RELAXED);
	}
	for (r = 0; r < READERS; r++)
		ASSERT_EQ(0, wait_child(pids[r]));
	EXPECT_LT(READERS, p->checks);
	EXPECT_EQ(0, p->missing);
}

GLOOM_TEST_MAIN
