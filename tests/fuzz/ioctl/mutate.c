// SPDX-License-Identifier: GPL-2.0
/* Chance: sequences out of nothing and out of others. */
#include <string.h>
#include <sys/ioctl.h>

#include <linux/gloom.h>

#include "memory.h"
#include "sequence.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define PICK(array)		((array)[random_below(ARRAY_SIZE(array))])

static uint64_t state;

void random_seed(uint64_t seed)
{
	state = seed;
}

/* SplitMix64 */
static uint64_t random_any(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t random_below(uint64_t limit)
{
	return random_any() % limit;
}

/* One time out of so many. */
static bool rarely(unsigned int times)
{
	return !random_below(times);
}

/* What each action looks at; F_FILE, which is 0, can only be the first. */
#define ARGUMENT	F_FILE, F_SIZE, F_TAIL, F_ARG
static const uint8_t used[NR_ACTIONS][20] = {
	[ACT_CREATE] = { ARGUMENT, F_TO, F_FLAGS, F_NAME, F_BLOCKS, F_K,
			 F_HASH, F_LAYOUT, F_MODE, F_SEED, F_CAPACITY, F_NODE },
	[ACT_OPEN] = { ARGUMENT, F_TO, F_FLAGS, F_NAME, F_RESERVED },
	[ACT_UNLINK] = { ARGUMENT, F_FLAGS, F_NAME },
	[ACT_NEXT] = { ARGUMENT, F_FLAGS, F_NAME, F_RESERVED },
	[ACT_QUERY] = { ARGUMENT, F_FLAGS },
	[ACT_INFO] = { ARGUMENT, F_FLAGS },
	[ACT_ADD] = { ARGUMENT, F_FLAGS, F_KEY, F_LEN, F_KEYS },
	[ACT_TEST] = { ARGUMENT, F_FLAGS, F_KEY, F_LEN, F_KEYS },
	[ACT_BATCH] = { ARGUMENT, F_FLAGS, F_OP, F_KEY_SIZE, F_NR,
			F_KEY, F_LEN, F_BAD, F_BAD_LEN, F_KEYS_SIZE, F_RESERVED,
			F_KEYS, F_LENS, F_RESULTS },
	[ACT_CLOSE] = { F_FILE },
	[ACT_DUP] = { F_FILE, F_TO },
	[ACT_REOPEN] = { F_FILE, F_TO, F_FLAGS },
	[ACT_CHMOD] = { F_FILE, F_MODE },
	[ACT_CHOWN] = { F_FILE, F_VALUE },
	[ACT_MMAP] = { F_FILE, F_FLAGS, F_VALUE, F_NR },
	[ACT_FILE] = { F_FILE, F_COMMAND, F_VALUE },
	[ACT_RAW] = { F_FILE, F_COMMAND, F_ARG, F_VALUE },
	[ACT_USER] = { F_VALUE },
	[ACT_SIGNAL] = { F_VALUE },
	[ACT_SCRIBBLE] = { F_VALUE, F_COUNT },
};

static unsigned int nr_used(enum action action)
{
	unsigned int nr = 1;

	while (nr < ARRAY_SIZE(used[0]) && used[action][nr])
		nr++;
	return nr;
}

static uint64_t random_place(void)
{
	static const uint8_t good[] = {
		PLACE_OWN, PLACE_OWN, PLACE_OWN, PLACE_ODD, PLACE_END,
		PLACE_END, PLACE_FRESH,
	};

	if (rarely(5))
		return random_below(NR_PLACES) | random_below(80) << 8;
	return PICK(good) | random_below(63) << 8;
}

static uint64_t random_blocks(void)
{
	static const uint64_t numbers[] = {
		1, 2, 3, 63, 64, 65, 1000, 4096, 0x8000, 0x8001, 0x10000,
		0, 0x10001, 1ULL << 32, (1ULL << 32) + 1, 1ULL << 58, -1ULL,
	};

	return rarely(3) ? PICK(numbers) : 1 + random_below(12);
}

static uint64_t random_command(void)
{
	static const uint32_t commands[] = {
		GLOOM_IOC_QUERY, GLOOM_IOC_CREATE, GLOOM_IOC_OPEN,
		GLOOM_IOC_UNLINK, GLOOM_IOC_NEXT, GLOOM_IOC_INFO,
		GLOOM_IOC_ADD, GLOOM_IOC_TEST, GLOOM_IOC_BATCH,
	};

	switch (random_below(4)) {
	case 0:
		return _IOC(random_below(4), GLOOM_IOC_MAGIC,
			    random_below(0x40), random_below(0x200));
	case 1:
		return random_any() & 0xffffffff;
	default:
		return PICK(commands);
	}
}

static uint64_t random_field(enum action action, enum field field)
{
	static const uint64_t odd[] = {
		1, 2, 3, 4, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff,
		1ULL << 32, -1ULL,
	};
	static const uint16_t key_sizes[] = {
		8, 8, 8, 0, 0, 0, 1, 2, 7, 16, 63, 256, 300, 4096, 4097,
	};
	static const uint16_t sizes[] = {
		0, 1, 4, 5, 24, 25, 64, 65, 128, 129, 192, 193, 4096, 4097,
		4098,
	};
	static const uint32_t lens[] = {
		0, 1, 8, 8, 255, 256, 257, 4096, 4097, 0xffffffff,
	};

	switch (field) {
	case F_FILE:
		if (rarely(12))
			return random_below(NR_FILES);
		return action < ACT_INFO ? FILE_DEVICE : random_below(3);
	case F_TO:
		return rarely(4) ? random_below(NR_SLOTS) : random_below(3);
	case F_SIZE:
		return rarely(12) ? 1 + PICK(sizes) : 0;
	case F_FLAGS:
		if (rarely(16))
			return PICK(odd);
		if (action == ACT_REOPEN)
			return random_below(4) | (rarely(6) ? PICK(odd) : 0);
		if (action == ACT_OPEN)
			return 1 + random_below(3);
		if (action == ACT_CREATE)
			return rarely(3) ? random_below(4) : 0;
		return random_below(2);
	case F_NAME:
		if (action == ACT_CREATE && rarely(2))
			return 0;
		return random_below(rarely(10) ? NR_NAMES : 4);
	case F_BLOCKS:
		return random_blocks();
	case F_K:
		return rarely(16) ? random_below(20) : 1 + random_below(16);
	case F_HASH:
		return rarely(16) ? random_below(6) : 1 + random_below(3);
	case F_LAYOUT:
		return rarely(20) ? random_below(3) : 1;
	case F_MODE:
		return rarely(10) ? random_any() & 07777 : random_any() & 0666;
	case F_NODE:
		return rarely(10) ? PICK(odd) : 0;
	case F_OP:
		return rarely(20) ? random_below(6) : 1 + random_below(3);
	case F_KEY_SIZE:
		return PICK(key_sizes);
	case F_NR:
		if (rarely(12))
			return PICK(odd) & 0xffffffff;
		return random_below(rarely(4) ? 1100 : 70);
	case F_KEY:
		return random_below(24);
	case F_LEN:
		if (action != ACT_BATCH && rarely(3))
			return PICK(lens);
		return random_below(12);
	case F_BAD:
		return rarely(5) ? random_below(300) : 0;
	case F_BAD_LEN:
		return PICK(lens);
	case F_KEYS_SIZE:
		return rarely(10) ? 1 + random_below(600) : 0;
	case F_TAIL:
	case F_RESERVED:
		return rarely(24) ? PICK(odd) : 0;
	case F_ARG:
		return rarely(3) ? random_place() : PLACE_OWN;
	case F_KEYS:
	case F_LENS:
		return random_place();
	case F_RESULTS:
		return rarely(3) ? PLACE_NULL : random_place();
	case F_COMMAND:
		return action == ACT_RAW ? random_command() : random_below(24);
	case F_COUNT:
		return random_below(2000);
	default:
		return rarely(2) ? random_below(4) : random_any();
	}
}

static void random_step(struct step *step, enum action action,
			unsigned int nr_threads)
{
	unsigned int i;

	memset(step, 0, sizeof(*step));
	step->action = action;
	step->thread = random_below(nr_threads);
	for (i = 0; i < nr_used(action); i++) {
		enum field field = used[action][i];

		step->field[field] = random_field(action, field);
	}
}

static enum action random_action(void)
{
	static const uint8_t common[] = {
		ACT_CREATE, ACT_CREATE, ACT_OPEN, ACT_UNLINK, ACT_INFO,
		ACT_ADD, ACT_TEST, ACT_BATCH, ACT_BATCH, ACT_BATCH, ACT_CLOSE,
	};

	return rarely(2) ? random_below(NR_ACTIONS) : PICK(common);
}

static void insert(struct sequence *seq, unsigned int at,
		   const struct step *step)
{
	if (seq->nr == MAX_STEPS)
		sequence_remove(seq, random_below(seq->nr));
	if (at > seq->nr)
		at = seq->nr;
	memmove(&seq->step[at + 1], &seq->step[at],
		(seq->nr - at) * sizeof(*step));
	seq->step[at] = *step;
	seq->nr++;
}

/* All steps on one thread, or each anywhere. */
static void share_out(struct sequence *seq, unsigned int nr_threads)
{
	bool solo = rarely(2);
	unsigned int i;

	for (i = 0; i < seq->nr; i++)
		seq->step[i].thread = solo ? 0 : random_below(nr_threads);
}

void sequence_random(struct sequence *seq, unsigned int nr_threads)
{
	unsigned int i, nr = 2 + random_below(MAX_STEPS - 2);

	seq->nr = nr;
	random_step(&seq->step[0], ACT_CREATE, nr_threads);
	for (i = 1; i < nr; i++)
		random_step(&seq->step[i], random_action(), nr_threads);
	share_out(seq, nr_threads);
}

static void mutate_field(struct step *step)
{
	enum field field = used[step->action]
			       [random_below(nr_used(step->action))];
	uint64_t *value = &step->field[field];

	switch (random_below(8)) {
	case 0:
		*value += 1 - 2 * random_below(2);
		break;
	case 1:
		*value ^= 1ULL << random_below(64);
		break;
	default:
		*value = random_field(step->action, field);
	}
}

static void mutate_once(struct sequence *seq, const struct sequence *other,
			unsigned int nr_threads)
{
	unsigned int at = random_below(seq->nr), from;
	struct step step;

	switch (random_below(16)) {
	case 0 ... 3:
		random_step(&step, random_action(), nr_threads);
		step.thread = seq->step[at].thread;
		insert(seq, random_below(seq->nr + 1), &step);
		break;
	case 4:
		if (seq->nr > 1)
			sequence_remove(seq, at);
		break;
	case 5:
		step = seq->step[at];
		insert(seq, random_below(seq->nr + 1), &step);
		break;
	case 6:
		from = random_below(seq->nr);
		step = seq->step[at];
		seq->step[at] = seq->step[from];
		seq->step[from] = step;
		break;
	case 7:
		share_out(seq, nr_threads);
		break;
	case 8:
		/* What another one ends with. */
		for (from = random_below(other->nr); from < other->nr; from++)
			insert(seq, seq->nr, &other->step[from]);
		break;
	default:
		mutate_field(&seq->step[at]);
	}
}

void sequence_mutate(struct sequence *seq, const struct sequence *other,
		     unsigned int nr_threads)
{
	unsigned int times = 1 + random_below(4);

	while (times--)
		mutate_once(seq, other, nr_threads);
}
