// SPDX-License-Identifier: GPL-2.0
/* A worker: some threads, which do by chance one thing after the other. */

#include <pthread.h>

#include "soak.h"

void me_init(struct me *me, struct slot *slot, __u64 stream, const int *mailbox)
{
	int i;

	memset(me, 0, sizeof(*me));
	me->intent = &slot->intent;
	me->counts = slot->counts;
	me->random = mixed(shared->seed) ^ mixed(stream) << 20;
	me->mailbox = mailbox;
	me->dev = open("/dev/gloom", O_RDWR | O_CLOEXEC);
	for (i = 0; i < HELD; i++)
		me->held[i] = -1;
}

static void look_around(struct me *me)
{
	struct gloom_query q;
	int ret = query(me->dev, &q);

	/* Those that stay are always there, but for the one being replaced. */
	if (ret || q.abi != GLOOM_ABI || q.nr_filters < NR_LASTING - 1)
		wrong(WRONG_RESULT, "query: %d, %u filters", ret, q.nr_filters);
	count(me, COUNT_query, 1);
}

static void step(struct me *me)
{
	__u32 which = chance(me, NR_LASTING);

	switch (chance(me, 20)) {
	case 0 ... 5:
		lasting_add(me, which);
		break;
	case 6 ... 8:
		lasting_race(me, which);
		break;
	case 9 ... 12:
		lasting_check(me, which);
		break;
	case 13:
		if (chance(me, 4))
			look_around(me);
		else
			lasting_look(me, which);
		break;
	case 14:
	case 15:
		guest_make(me);
		break;
	case 16:
	case 17:
		guest_meet(me);
		break;
	default:
		guest_browse(me);
	}
}

static void *run(void *arg)
{
	struct me *me = arg;

	while (!load(&shared->stop))
		step(me);
	return NULL;
}

/* The process. Its threads live in the slots that belong to it. */
int work(int worker, unsigned int incarnation, const int *mailbox)
{
	pthread_t threads[THREADS];
	static struct me me[THREADS];
	int i, slot;

	for (i = 0; i < THREADS; i++) {
		slot = worker * THREADS + i;
		me_init(&me[i], &shared->slots[slot],
			((__u64)incarnation << 8) + slot, mailbox);
		if (me[i].dev < 0 ||
		    pthread_create(&threads[i], NULL, run, &me[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
