// SPDX-License-Identifier: GPL-2.0
/* Many keys in one call: the same as many calls, and ending early. */

#include <sys/time.h>

#include "gloom_test.h"

FIXTURE(batch)
{
	int dev;
	int fd;
	int twin;	/* same geometry and seed */
	int hashed;
};

FIXTURE_SETUP(batch)
{
	self->dev = open_device();
	self->fd = create_filter(self->dev, GLOOM_HASH_XXH64, 100, 7);
	self->twin = create_filter(self->dev, GLOOM_HASH_XXH64, 100, 7);
	self->hashed = create_filter(self->dev, GLOOM_HASH_PREHASHED, 1000, 7);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->twin);
	ASSERT_LE(0, self->hashed);
}

FIXTURE_TEARDOWN(batch)
{
	close(self->hashed);
	close(self->twin);
	close(self->fd);
	close(self->dev);
}

static const __u32 counts[] = { 0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511,
				512, 513, 1024, 10000 };

/* Numbers that differ for different @salt; a third of them occurs twice. */
static void make_hashes(__u64 *hashes, __u32 nr, __u64 salt)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		hashes[i] = mixed(salt * 1000000 + (i % 3 == 2 ? i / 2 : i));
}

static size_t bitmap_bytes(__u32 nr)
{
	return (nr + 7) / 8;
}

/*
 * A batch has just been done for @b. Do the same on @twin one by one, and
 * compare answers, the bits behind them, and all the kernel says of the filter.
 */
static void check_like_singles(struct __test_metadata *_metadata, int fd,
			       int twin, const struct gloom_batch *b)
{
	unsigned int cmd = b->op == GLOOM_OP_TEST ? GLOOM_IOC_TEST :
						    GLOOM_IOC_ADD;
	const __u8 *results = (void *)(uintptr_t)b->results;
	const __u32 *lens = (void *)(uintptr_t)b->lens;
	struct gloom_info one, other;
	__u32 positive = 0, i;
	__u64 key = b->keys;
	int answer;

	ASSERT_EQ(b->nr_keys, b->nr_done);
	for (i = 0; i < b->nr_keys; i++) {
		__u32 len = b->key_size ?: lens[i];

		if (b->flags & GLOOM_KEYS_HASHED)
			answer = key_ioctl(twin, cmd, GLOOM_KEYS_HASHED,
					   *(__u64 *)(uintptr_t)key, 0);
		else
			answer = key_ioctl(twin, cmd, 0, key, len);
		ASSERT_LE(0, answer);
		ASSERT_EQ(answer, bitmap_bit(results, i)) {
			TH_LOG("key %u of %u", i, b->nr_keys);
		}
		positive += answer;
		key += len;
	}
	EXPECT_EQ(positive, b->nr_positive);
	for (; i % 8; i++)
		EXPECT_EQ(0, bitmap_bit(results, i));
	EXPECT_EQ(POISON, results[i / 8]);
	EXPECT_EQ(POISON, results[i / 8 + 1]);

	one = snapshot(fd);
	other = snapshot(twin);
	EXPECT_EQ(one.adds, other.adds);
	EXPECT_EQ(one.adds_new, other.adds_new);
	EXPECT_EQ(one.tests, other.tests);
	EXPECT_EQ(one.positives, other.positives);
	EXPECT_EQ(one.bits_set, other.bits_set);
}

TEST_F(batch, fixed_sizes)
{
	static const __u32 sizes[] = { 1, 3, 7, 8, 9, 16, 100, 4095, 4096 };
	enum { NR = 513 };
	__u8 *keys = malloc(NR * 4096);
	struct gloom_batch b;
	__u8 results[80];
	__u32 op, i;
	size_t s;

	for (i = 0; i < NR * 4096; i += 8)
		memcpy(keys + i, &(__u64){ mixed(i) }, 8);
	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
			memset(results, POISON, sizeof(results));
			/* Some of the keys are new to each operation. */
			b = batch_args(op, keys + op * 50 * sizes[s], sizes[s],
				       NR - 150 - op, results);
			ASSERT_EQ(0, batch(self->fd, &b));
			check_like_singles(_metadata, self->fd, self->twin, &b);
		}
	}
}

TEST_F(batch, counts)
{
	__u64 hashes[10000];
	struct gloom_batch b;
	__u8 results[1300];
	__u32 op;
	size_t c;

	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		make_hashes(hashes, counts[c], c / 2);
		for (op = GLOOM_OP_TEST_ADD; op >= GLOOM_OP_TEST; op--) {
			memset(results, POISON, sizeof(results));
			b = batch_args(op, hashes, 8, counts[c], results);
			ASSERT_EQ(0, batch(self->fd, &b));
			check_like_singles(_metadata, self->fd, self->twin, &b);
		}
	}
}

TEST_F(batch, hashes)
{
	int twin = create_filter(self->dev, GLOOM_HASH_PREHASHED, 1000, 7);
	__u64 hashes[10000];
	struct gloom_batch b;
	__u8 results[1300];
	__u32 op;
	size_t c;

	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		make_hashes(hashes, counts[c], c / 2);
		for (op = GLOOM_OP_TEST_ADD; op >= GLOOM_OP_TEST; op--) {
			memset(results, POISON, sizeof(results));
			b = hashes_args(op, hashes, counts[c], results);
			ASSERT_EQ(0, batch(self->hashed, &b));
			check_like_singles(_metadata, self->hashed, twin, &b);
		}
	}
}

/* Lengths of every class, runs of empty keys, all changing at each key. */
TEST_F(batch, lengths)
{
	static const __u32 cycle[] = { 0, 1, 31, 32, 33, 0, 0, 0, 8, 255, 256,
				       257, 4096, 0, 4095, 2, 100, 7 };
	enum { NR = 1100 };
	__u32 lens[NR], nr, op, i;
	__u8 *keys = malloc(NR * 4096);
	__u64 bytes = 0, end;
	struct gloom_batch b;
	__u8 results[160];

	for (i = 0; i < NR * 4096; i += 8)
		memcpy(keys + i, &(__u64){ mixed(i) }, 8);
	for (i = 0; i < NR; i++) {
		lens[i] = cycle[mixed(i) % ARRAY_SIZE(cycle)];
		bytes += lens[i];
	}
	for (nr = 1; nr <= NR; nr += 157) {
		end = 0;
		for (i = 0; i < nr; i++)
			end += lens[i];
		for (op = GLOOM_OP_TEST_ADD; op >= GLOOM_OP_TEST; op--) {
			memset(results, POISON, sizeof(results));
			/* More bytes than the lengths need are no fault. */
			b = lens_args(op, keys, op == 2 ? bytes : end, lens,
				      nr, results);
			ASSERT_EQ(0, batch(self->fd, &b));
			check_like_singles(_metadata, self->fd, self->twin, &b);
		}
	}
}

/* Keys that begin at any address. */
TEST_F(batch, unaligned)
{
	__u8 keys[65 * 8 + 8], results[16];
	struct gloom_batch b;
	size_t i;

	for (i = 0; i < sizeof(keys); i++)
		keys[i] = mixed(i);
	for (i = 0; i < 8; i++) {
		memset(results, POISON, sizeof(results));
		b = batch_args(GLOOM_OP_ADD, keys + i, 8, 65, results + i % 4);
		ASSERT_EQ(0, batch(self->fd, &b));
		check_like_singles(_metadata, self->fd, self->twin, &b);
	}
}

TEST_F(batch, no_results)
{
	__u64 hashes[100];
	struct gloom_batch b;

	make_hashes(hashes, 100, 1);
	b = hashes_args(GLOOM_OP_ADD, hashes, 100, NULL);
	ASSERT_EQ(0, batch(self->hashed, &b));
	EXPECT_EQ(100, b.nr_done);
	EXPECT_EQ(snapshot(self->hashed).adds_new, b.nr_positive);
	b = hashes_args(GLOOM_OP_TEST, hashes, 100, NULL);
	ASSERT_EQ(0, batch(self->hashed, &b));
	EXPECT_EQ(100, b.nr_done);
	EXPECT_EQ(100, b.nr_positive);
}

/* No keys: no pointer is looked at, nothing is written. */
TEST_F(batch, no_keys)
{
	struct gloom_info before = snapshot(self->fd);
	__u8 results[1] = { POISON };
	struct gloom_batch b;
	__u32 op;

	for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
		b = batch_args(op, NULL, 8, 0, results);
		EXPECT_EQ(0, batch(self->fd, &b));
		EXPECT_EQ(0, b.nr_done);
		EXPECT_EQ(0, b.nr_positive);
		b = lens_args(op, (void *)1, 0, (void *)1, 0, (void *)1);
		EXPECT_EQ(0, batch(self->fd, &b));
		EXPECT_EQ(0, b.nr_done);
	}
	EXPECT_EQ(POISON, results[0]);
	EXPECT_UNCHANGED(before, self->fd);
}

/* Of one key many times in a batch the first is new. */
TEST_F(batch, duplicates)
{
	__u64 hashes[1000];
	__u8 results[125];
	struct gloom_batch b;
	__u32 op, i;

	for (op = GLOOM_OP_ADD; op <= GLOOM_OP_TEST_ADD; op++) {
		for (i = 0; i < 1000; i++)
			hashes[i] = mixed(op);
		b = hashes_args(op, hashes, 1000, results);
		ASSERT_EQ(0, batch(self->hashed, &b));
		EXPECT_EQ(1, b.nr_positive);
		EXPECT_EQ(1, results[0]);
		for (i = 1; i < sizeof(results); i++)
			EXPECT_EQ(0, results[i]);
	}
}

TEST_F(batch, hashes_refused)
{
	struct gloom_info before = snapshot(self->fd);
	struct gloom_batch b;
	__u64 hash = 1;

	b = hashes_args(GLOOM_OP_ADD, &hash, 1, NULL);
	EXPECT_EQ(-EOPNOTSUPP, batch(self->fd, &b));
	EXPECT_UNCHANGED(before, self->fd);
	before = snapshot(self->hashed);
	b = batch_args(GLOOM_OP_ADD, &hash, 8, 1, NULL);
	EXPECT_EQ(-EOPNOTSUPP, batch(self->hashed, &b));
	EXPECT_UNCHANGED(before, self->hashed);
}

/* ---- Signals -------------------------------------------------------- */

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
	signals++;
}

/*
 * A timer ends calls early: always behind a multiple of 8 keys, with answers
 * up to there and nothing behind; what is left can be done by further calls.
 */
TEST_F(batch, signals)
{
	enum { NR = 2000000 };
	struct itimerval timer = { { 0, 3000 }, { 0, 3000 } };
	struct itimerval stop = { };
	__u64 *hashes = malloc(NR * sizeof(*hashes));
	__u8 *results = malloc(NR / 8 + 8);
	int fd = create_filter(self->dev, GLOOM_HASH_PREHASHED, 65536, 8);
	__u32 done = 0, new = 0, early = 0, i;
	struct gloom_batch b;

	memset(results, POISON, NR / 8 + 8);
	for (i = 0; i < NR; i++)
		hashes[i] = mixed(i);
	signal(SIGALRM, count_signal);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while (done < NR) {
		b = hashes_args(GLOOM_OP_ADD, hashes + done, NR - done,
				results + done / 8);
		ASSERT_EQ(0, batch(fd, &b));
		ASSERT_LE(b.nr_done, NR - done);
		done += b.nr_done;
		new += b.nr_positive;
		if (done == NR)
			break;
		early++;
		ASSERT_LE(8, b.nr_done);
		ASSERT_EQ(0, b.nr_done % 8);
		ASSERT_EQ(POISON, results[done / 8]);
	}
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &stop, NULL));
	EXPECT_LT(0, early);
	EXPECT_LE(early, signals);

	/* No key was done twice or left out, and each has its answer. */
	EXPECT_EQ(NR, snapshot(fd).adds);
	EXPECT_EQ(new, snapshot(fd).adds_new);
	for (i = 0; i < NR / 8; i++)
		new -= __builtin_popcount(results[i]);
	EXPECT_EQ(0, new);
	for (i = 0; i < NR; i += b.nr_done) {
		b = hashes_args(GLOOM_OP_TEST, hashes + i, NR - i, NULL);
		ASSERT_EQ(0, batch(fd, &b));
		ASSERT_EQ(b.nr_done, b.nr_positive);
	}
}

/* A blocked signal is not pending; keys are all done in one call. */
TEST_F(batch, signals_blocked)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } };
	enum { NR = 100000 };
	__u64 *hashes = malloc(NR * sizeof(*hashes));
	struct gloom_batch b;
	sigset_t set;
	__u32 i;

	for (i = 0; i < NR; i++)
		hashes[i] = mixed(i);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	sleep_ms(2);
	b = hashes_args(GLOOM_OP_ADD, hashes, NR, NULL);
	ASSERT_EQ(0, batch(self->hashed, &b));
	EXPECT_EQ(NR, b.nr_done);
}

/*
 * Killed within a batch: keys of finished calls are there, bits of no other
 * keys are, and the filter works.
 */
TEST_F(batch, killed)
{
	enum { NR = 4096, ROUNDS = 30 };
	__u32 *finished = shared(sizeof(*finished));
	int fd = create_filter(self->dev, GLOOM_HASH_PREHASHED, 65536, 8);
	static __u64 hashes[NR];
	struct gloom_batch b;
	__u64 all = 0, call;
	__u32 r, i;
	pid_t pid;

	for (r = 0; r < ROUNDS; r++) {
		*finished = 0;
		pid = fork();
		ASSERT_LE(0, pid);
		for (call = 0; !pid; call++) {
			for (i = 0; i < NR; i++)
				hashes[i] = mixed(r << 24 | call << 12 | i);
			b = hashes_args(GLOOM_OP_ADD, hashes, NR, NULL);
			if (batch(fd, &b) || b.nr_done != NR)
				_exit(1);
			__atomic_fetch_add(finished, 1, __ATOMIC_RELEASE);
		}
		sleep_ms(5 + r % 7);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		for (call = 0; call < *finished; call++) {
			for (i = 0; i < NR; i++)
				hashes[i] = mixed(r << 24 | call << 12 | i);
			b = hashes_args(GLOOM_OP_TEST, hashes, NR, NULL);
			ASSERT_EQ(0, batch(fd, &b));
			ASSERT_EQ(NR, b.nr_positive);
		}
		all += *finished;
	}
	EXPECT_LE(all * NR, snapshot(fd).adds);
	EXPECT_GE((all + ROUNDS) * NR, snapshot(fd).adds);
	EXPECT_LE(snapshot(fd).bits_set, snapshot(fd).adds_new * 8);
}

GLOOM_TEST_MAIN
