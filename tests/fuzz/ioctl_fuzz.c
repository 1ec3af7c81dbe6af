// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the module's ioctls: sequences of calls over several files and
 * threads, good and bad ones, led by what KCOV says of the module. Each answer
 * is compared with a model of the filters, each sequence must leave nothing,
 * and the kernel must not complain.
 *
 * For a virtual machine: it sets the module's limits, and what others do with
 * filters would be taken for leaks. Prints KTAP. Without KCOV in the module it
 * is blind: led only by what the calls return.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ioctl/corpus.h"
#include "ioctl/coverage.h"
#include "ioctl/run.h"
#include "ioctl/watch.h"
#include "../selftests/kernel_memory.h"

#define EXIT_SKIP	4

/* Runs of a sequence with several threads, when it is replayed. */
#define REPLAYS		200

static struct {
	unsigned int seconds;
	uint64_t seed;
	const char *corpus, *out, *replay;
} options = { .seconds = 60, .seed = 1 };

static const struct sequence *current;
static int results[MAX_STEPS];
static sem_t begin[MAX_THREADS], finished;
static _Atomic unsigned int ready;
static unsigned long executions;
static struct gloom_query before;
static int first_file;		/* all from there on are the sequence's */
static int keeper;		/* a file of a filter of ours, or /dev/null */
static bool kept;

static uint32_t features[NR_FEATURES];

/* Where the name of a thread is seen in a report, it tells the execution. */
static void name_thread(void)
{
	char name[16];

	snprintf(name, sizeof(name), "fuzz-%lu", executions);
	prctl(PR_SET_NAME, name);
}

/* The steps of one thread. */
static void work(unsigned int thread)
{
	unsigned int i;

	name_thread();
	ready++;
	while (!run.solo && ready < run.nr_threads)
		sched_yield();
	for (i = 0; i < current->nr; i++) {
		const struct step *step = &current->step[i];

		if (step->thread % run.nr_threads != thread)
			continue;
		coverage_begin(thread);
		results[i] = run_step(step, thread);
		coverage_end(thread, step->action, results[i]);
	}
	setfsuid(0);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *worker(void *arg)
{
	unsigned int thread = (uintptr_t)arg;

	coverage_open(thread);
	sem_post(&finished);
	for (;;) {
		wait_for(&begin[thread]);
		work(thread);
		sem_post(&finished);
	}
	return NULL;
}

static void query(struct gloom_query *args)
{
	*args = (struct gloom_query){ .size = sizeof(*args) };
	if (ioctl(run.device, GLOOM_IOC_QUERY, args))
		oracle("query fails: %d", errno);
}

/* Whoever had a filter open may not have let it go completely yet. */
static void check_left(void)
{
	struct gloom_query now;
	int i;

	for (i = 0; i < 100; i++) {
		query(&now);
		if (now.nr_filters == before.nr_filters &&
		    now.total_bytes == before.total_bytes)
			return;
		usleep(10000);
	}
	oracle("%u filters with %" PRIu64 " bytes are left",
	       now.nr_filters - before.nr_filters,
	       (uint64_t)(now.total_bytes - before.total_bytes));
}

/*
 * Making the first filter and freeing the last one takes long. There is one of
 * ours meanwhile, but not always.
 */
static void keep(bool wanted)
{
	struct gloom_create args = {
		.size = sizeof(args),
		.nr_blocks = 1,
		.k = 1,
		.hash = GLOOM_HASH_XXH64,
		.layout = GLOOM_LAYOUT_1,
	};

	if (wanted == kept)
		return;
	kept = wanted;
	/* The number stays ours. */
	if (wanted && !ioctl(run.device, GLOOM_IOC_CREATE, &args)) {
		dup2(args.fd, keeper);
		close(args.fd);
	} else {
		dup2(run.null, keeper);
	}
	query(&before);
}

/* True if all was well. */
static bool execute(const struct sequence *seq)
{
	unsigned int i, nr = run.nr_threads;
	char text[200];

	current = seq;
	executions++;
	run_begin(seq);
	keep(executions % 64);
	ready = 0;
	if (run.solo) {
		i = seq->step[0].thread % nr;
		if (i) {
			sem_post(&begin[i]);
			wait_for(&finished);
		} else {
			work(0);
		}
	} else {
		for (i = 1; i < nr; i++)
			sem_post(&begin[i]);
		work(0);
		for (i = 1; i < nr; i++)
			wait_for(&finished);
	}
	run_end();
	syscall(SYS_close_range, first_file, ~0U, 0);
	check_left();
	if (watch_trouble(text, sizeof(text)))
		oracle("%s", text);
	return !run.failed;
}

static void report(void)
{
	char path[512];
	unsigned int i;
	FILE *file;

	printf("# execution %lu: %s\n", executions, run.why);
	sequence_print(stdout, "# ", current);
	printf("# results:");
	for (i = 0; i < current->nr; i++)
		printf(" %d", results[i]);
	printf("\n");
	if (!options.out)
		return;
	snprintf(path, sizeof(path), "%s/failure", options.out);
	file = fopen(path, "we");
	if (file) {
		sequence_print(file, "", current);
		fclose(file);
	}
}

static int run_kept(struct sequence *seq)
{
	if (!execute(seq)) {
		report();
		return -1;
	}
	corpus_add(seq, features, coverage_take(features));
	return 0;
}

/* Are all of these among the features of the last run? */
static bool reached_again(const uint32_t *wanted, size_t nr_wanted)
{
	size_t nr = coverage_take(features), i, j;

	for (i = 0; i < nr_wanted; i++) {
		for (j = 0; j < nr && features[j] != wanted[i]; j++)
			;
		if (j == nr)
			return false;
	}
	return true;
}

/* Leave out what is not needed for what is new. */
static bool minimise(struct sequence *seq, const uint32_t *wanted, size_t nr)
{
	unsigned int i;

	for (i = seq->nr; i-- && seq->nr > 1;) {
		struct sequence shorter = *seq;

		sequence_remove(&shorter, i);
		if (!execute(&shorter)) {
			report();
			return false;
		}
		if (reached_again(wanted, nr))
			*seq = shorter;
	}
	return true;
}

/* One new sequence. */
static bool fuzz_once(void)
{
	struct sequence seq;
	uint32_t *wanted;
	size_t nr;
	bool good;

	if (!corpus_size() || !random_below(20)) {
		sequence_random(&seq, run.nr_threads);
	} else {
		seq = *corpus_pick();
		sequence_mutate(&seq, corpus_pick(), run.nr_threads);
	}
	if (!execute(&seq)) {
		report();
		return false;
	}
	nr = corpus_new(features, coverage_take(features));
	if (!nr)
		return true;
	wanted = malloc(nr * sizeof(*wanted));
	if (!wanted)
		return false;
	memcpy(wanted, features, nr * sizeof(*wanted));
	good = minimise(&seq, wanted, nr) && !run_kept(&seq);
	free(wanted);
	return good;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static bool fuzz(void)
{
	double start = seconds(), now;
	bool good = true;

	do {
		good = fuzz_once();
		now = seconds();
	} while (good && now < start + options.seconds);
	printf("# seed %" PRIu64 ", %u threads: %lu executions, %.0f/s; %u places, %zu features, corpus %zu\n",
	       options.seed, run.nr_threads, executions,
	       executions / (now - start), coverage_places(),
	       corpus_features(), corpus_size());
	if (good && options.out && corpus_write(options.out) < 0)
		return false;
	return good;
}

static bool replay(void)
{
	FILE *file = fopen(options.replay, "re");
	unsigned int i, times;
	struct sequence seq;

	if (!file || !sequence_read(file, &seq)) {
		printf("# %s is not a sequence\n", options.replay);
		return false;
	}
	fclose(file);
	times = sequence_solo(&seq, run.nr_threads) ? 1 : REPLAYS;
	while (times--) {
		if (!execute(&seq)) {
			report();
			return false;
		}
	}
	sequence_print(stdout, "# ", &seq);
	printf("# results:");
	for (i = 0; i < seq.nr; i++)
		printf(" %d", results[i]);
	printf("\n");
	return true;
}

static void nothing(int number)
{
	(void)number;
}

static void set_up(void)
{
	/* No SA_RESTART: a signal is to interrupt. */
	struct sigaction action = { .sa_handler = nothing };
	bool sighted;
	uintptr_t i;

	sigaction(SIGUSR1, &action, NULL);
	run.null = open("/dev/null", O_RDWR | O_CLOEXEC);
	memory_init(run.nr_threads);
	random_seed(options.seed);
	query(&before);
	watch_limits(before.nr_filters, before.total_bytes);
	if (!watch_open())
		puts("# the kernel log cannot be read");
	sighted = coverage_open(0);
	sem_init(&finished, 0, 0);
	run.thread[0] = pthread_self();
	for (i = 1; i < run.nr_threads; i++) {
		sem_init(&begin[i], 0, 0);
		if (pthread_create(&run.thread[i], NULL, worker, (void *)i))
			exit(1);
		wait_for(&finished);
	}
	keeper = dup(run.null);
	first_file = keeper + 1;

	/* With the module instrumented, any call is seen. */
	coverage_begin(0);
	query(&before);
	coverage_end(0, ACT_QUERY, 0);
	if (!sighted || !coverage_places())
		puts("# no KCOV of the module: blind");
	coverage_take(features);
}

static int usage(void)
{
	fputs("usage: ioctl_fuzz [--seconds N] [--seed N] [--threads N] [--corpus DIR] [--out DIR] [--replay FILE]\n",
	      stderr);
	return 2;
}

static int parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 't' },
		{ "corpus", required_argument, NULL, 'c' },
		{ "out", required_argument, NULL, 'o' },
		{ "replay", required_argument, NULL, 'p' },
		{}
	};
	int key;

	run.nr_threads = 2;
	while ((key = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (key) {
		case 's':
			options.seconds = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			run.nr_threads = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			options.corpus = optarg;
			break;
		case 'o':
			options.out = optarg;
			break;
		case 'p':
			options.replay = optarg;
			break;
		default:
			return usage();
		}
	}
	if (optind < argc || !run.nr_threads || run.nr_threads > MAX_THREADS)
		return usage();
	return 0;
}

static bool verdict(int number, bool good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", number, name);
	return good;
}

static bool fuzz_all(const struct kernel_memory *memory)
{
	bool good;
	int leaks;

	puts("1..4");
	good = !options.corpus || !corpus_read(options.corpus, run_kept);
	good = verdict(1, good, "kept sequences");
	good = verdict(2, good && fuzz(), "new sequences") && good;
	keep(false);
	good = verdict(3, vmalloc_areas() <= memory->areas,
		       "no memory of filters is left") && good;
	leaks = watch_leaks();
	if (leaks < 0)
		puts("ok 4 - kmemleak # SKIP not in this kernel");
	else
		good = verdict(4, !leaks, "kmemleak") && good;
	return good;
}

int main(int argc, char **argv)
{
	struct kernel_memory memory = kernel_memory();
	bool good;
	int code = parse(argc, argv);

	if (code)
		return code;
	puts("TAP version 13");
	setvbuf(stdout, NULL, _IOLBF, 0);
	run.device = open("/dev/gloom", O_RDWR | O_CLOEXEC);
	if (run.device < 0) {
		printf("1..0 # SKIP no /dev/gloom: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	set_up();
	if (options.replay) {
		puts("1..1");
		good = verdict(1, replay(), options.replay);
	} else {
		good = fuzz_all(&memory);
	}
	fflush(stdout);
	return !good;
}
