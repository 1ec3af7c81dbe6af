/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many processes and threads do everything there is, some are killed at any
 * moment, and a ledger in shared memory knows what must be true all the same.
 *
 *	soak.c		options, the supervisor, the results
 *	worker.c	what a worker does, by chance
 *	keys.c		one operation on some keys, in any form there is
 *	ledger.c	filters that stay, and the ledger of their keys
 *	guests.c	filters that come and go
 *	trouble.c	scarce memory, CPUs that go away, attempts to unload
 *
 * All that chance decides follows from the seed, the worker, and how often that
 * was started; what comes of it also from how they are scheduled.
 */
#ifndef GLOOM_SOAK_H
#define GLOOM_SOAK_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <linux/gloom.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Every name begins with it. */
#define PREFIX		"soak."

#define WORKERS		6
#define THREADS		2
#define SLOTS		(WORKERS * THREADS)

/* ---- What is counted ------------------------------------------------ */

/* Each must happen at least once, or nothing was tried. */
#define SOAK_COUNTS(X)							\
	X(query) X(create_anonymous) X(create_named) X(create_taken)	\
	X(open) X(open_absent) X(unlink) X(list) X(info) X(info_bits)	\
	X(chmod) X(fd_sent) X(fd_received)				\
	X(add) X(add_long) X(add_hash) X(test) X(test_long)		\
	X(test_hash) X(batch_add) X(batch_test) X(batch_test_add)	\
	X(batch_fixed) X(batch_variable) X(batch_hashed)		\
	X(batch_silent) X(write_only) X(keys_added) X(keys_raced)	\
	X(keys_checked) X(races_won) X(races_lost) X(filters_retired)	\
	X(kills) X(kills_with_keys)

/* Each must happen where the machine is able to. */
#define SOAK_TROUBLES(X)						\
	X(cgroup_create) X(cgroup_refused)				\
	X(cpu_off) X(cpu_on)						\
	X(unload_refused) X(load_refused)

enum count {
#define X(name) COUNT_##name,
	SOAK_COUNTS(X)
	SOAK_TROUBLES(X)
#undef X
	NR_COUNTS
};

/* ---- What can be wrong ---------------------------------------------- */

enum wrong {
	WRONG_LOST,		/* a key that was added is not there */
	WRONG_WINNER,		/* a key was new to two callers, or to none */
	WRONG_RESULT,		/* an errno or answer that cannot be */
	WRONG_DEATH,		/* a worker ended without having been killed */
	NR_WRONGS
};

/* ---- Shared memory --------------------------------------------------- */

/*
 * What a thread is about to do with a filter that stays. Written before, taken
 * back after the ledger was written, so that when the thread was killed it is
 * known which keys may or may not have been done. While it is active, the
 * filter and its ledger are not replaced.
 */
struct intent {
	__u32 active;
	__u32 lasting;
	__u32 epoch;
	__u32 first;
	__u32 nr;
};

struct slot {
	struct intent intent;
	__u64 counts[NR_COUNTS];
};

/* Keys of an epoch: the first half added plainly, the others raced for. */
#define IDS		16384
#define PLAIN		(IDS / 2)

/* What is known of a key. */
#define KEY_ADDED	1	/* an add of it returned */
#define KEY_NEW		2	/* somebody was told that it was new */
#define KEY_DOUBT	4	/* one who may have been told so was killed */

struct ledger {
	__u32 next;		/* plain key that nobody has taken */
	__u32 race;		/* key that all are racing for */
	__u8 keys[IDS];		/* KEY_* */
};

/* A filter that stays; when all its keys are used, another takes its place. */
struct lasting {
	__u32 epoch;		/* which one it is; 0 is none */
	struct ledger ledgers[2];
};

#define NR_LASTING	4

/* Groups of keys that a guest has; see guests.c. */
#define GUESTS		(1U << 20)

struct shared {
	__u32 stop;
	__u64 seed;
	__u32 wrongs[NR_WRONGS];
	struct slot slots[SLOTS];
	struct slot troubles;
	struct lasting lasting[NR_LASTING];
	__u32 next_guest;
	__u64 guests[GUESTS];
};

extern struct shared *shared;

#define load(p)		__atomic_load_n(p, __ATOMIC_SEQ_CST)
#define store(p, v)	__atomic_store_n(p, v, __ATOMIC_SEQ_CST)

/* ---- One thread ------------------------------------------------------ */

#define NR_MAX		600	/* keys of one call: more than two windows */
#define HELD		8	/* guests that a thread holds */

/* Where keys come from: number @base + i gives key i. */
struct source {
	__u64 base;
	__u32 hash;
	bool variable;		/* lengths from 8 to GLOOM_KEY_MAX */
	bool clustered;		/* hashes of neighbours are in one block */
};

/* Blocks of a filter with a clustered source. */
#define CLUSTERS_LOG	12

/* Answers to keys. */
#define ANSWER_UNKNOWN	2

struct me {
	struct intent *intent;
	__u64 *counts;
	__u64 random;
	int dev;
	const int *mailbox;	/* to write to, to read from */
	struct {
		__u32 epoch;
		int both;
		int write;
	} lasting[NR_LASTING];
	int held[HELD];
	__u8 answers[NR_MAX];
	__u8 map[(NR_MAX + 7) / 8];
	__u32 lens[NR_MAX];
	char keys[64 * 1024];
};

static inline void count(struct me *me, enum count what, __u64 nr)
{
	me->counts[what] += nr;
}

/* The i-th of a fixed sequence of well mixed numbers (SplitMix64). */
static inline __u64 mixed(__u64 i)
{
	__u64 z = (i + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A number below @n. */
static inline __u32 chance(struct me *me, __u32 n)
{
	return (mixed(me->random++) >> 32) * n >> 32;
}

/* soak.c */
void wrong(enum wrong what, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* worker.c */
void me_init(struct me *me, struct slot *slot, __u64 stream,
	     const int *mailbox);
int work(int worker, unsigned int incarnation, const int *mailbox);

/* keys.c */
bool do_keys(struct me *me, int fd, const struct source *from, __u32 op,
	     __u32 first, __u32 nr, bool write_only);

/* ledger.c */
void lasting_add(struct me *me, __u32 which);
void lasting_race(struct me *me, __u32 which);
void lasting_check(struct me *me, __u32 which);
void lasting_look(struct me *me, __u32 which);
void lasting_name(char name[GLOOM_NAME_SIZE], __u32 which);
void lasting_dead(struct slot *slot);
void lasting_turn(struct me *me);
void lasting_end(struct me *me);

/* guests.c */
void guest_make(struct me *me);
void guest_meet(struct me *me);
void guest_browse(struct me *me);
void guest_end(struct me *me);

/* trouble.c */
struct troubles {
	bool cgroup, cpu, module;
};

struct troubles troubles_find(void);
int trouble_cgroup(void);
int trouble_cpu(void);
int trouble_module(void);
bool troubles_end(const struct troubles *able);

/* ---- Calls: 0 or more, or a negative errno --------------------------- */

static inline int xioctl(int fd, unsigned int cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

static inline void set_name(char to[GLOOM_NAME_SIZE], const char *name)
{
	memset(to, 0, GLOOM_NAME_SIZE);
	memcpy(to, name, strnlen(name, GLOOM_NAME_SIZE - 1));
}

static inline int query(int dev, struct gloom_query *q)
{
	memset(q, 0, sizeof(*q));
	q->size = sizeof(*q);
	return xioctl(dev, GLOOM_IOC_QUERY, q);
}

static inline int create(int dev, struct gloom_create *c)
{
	int ret;

	c->size = sizeof(*c);
	c->layout = GLOOM_LAYOUT_1;
	ret = xioctl(dev, GLOOM_IOC_CREATE, c);
	return ret ? ret : c->fd;
}

static inline int open_named(int dev, const char *name, __u32 flags)
{
	struct gloom_open o = { .size = sizeof(o), .flags = flags };
	int ret;

	set_name(o.name, name);
	ret = xioctl(dev, GLOOM_IOC_OPEN, &o);
	return ret ? ret : o.fd;
}

static inline int unlink_name(int dev, const char *name)
{
	struct gloom_unlink u = { .size = sizeof(u) };

	set_name(u.name, name);
	return xioctl(dev, GLOOM_IOC_UNLINK, &u);
}

static inline int next_name(int dev, struct gloom_next *n)
{
	n->size = sizeof(*n);
	return xioctl(dev, GLOOM_IOC_NEXT, n);
}

static inline int get_info(int fd, __u32 flags, struct gloom_info *i)
{
	memset(i, 0, sizeof(*i));
	i->size = sizeof(*i);
	i->flags = flags;
	return xioctl(fd, GLOOM_IOC_INFO, i);
}

#endif /* GLOOM_SOAK_H */
