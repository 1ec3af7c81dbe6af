// SPDX-License-Identifier: GPL-2.0
/*
 * Filters that stay for long, under a name, and the ledger of their keys.
 *
 * They are so large that no key is there by chance: a key that nobody was told
 * to be new is as wrong as one that is not found.
 */

#include "soak.h"

static const struct {
	__u32 hash;
	__u32 k;
	bool variable;
	bool clustered;
} kinds[NR_LASTING] = {
	{ GLOOM_HASH_XXH64, 13, false, false },
	{ GLOOM_HASH_XXH64, 16, true, false },
	{ GLOOM_HASH_XXH3, 15, false, false },
	{ GLOOM_HASH_PREHASHED, 16, false, true },
};

/* The supervisor's own files, of this epoch and of the one being retired. */
static int files[NR_LASTING][2];
static bool retiring[NR_LASTING];

void lasting_name(char name[GLOOM_NAME_SIZE], __u32 which)
{
	memset(name, 0, GLOOM_NAME_SIZE);
	snprintf(name, GLOOM_NAME_SIZE, PREFIX "lasting.%u", which);
}

static struct source source_of(__u32 which, __u32 epoch)
{
	return (struct source){
		.base = mixed(shared->seed + which) + ((__u64)epoch << 32),
		.hash = kinds[which].hash,
		.variable = kinds[which].variable,
		.clustered = kinds[which].clustered,
	};
}

static struct ledger *ledger_of(__u32 which, __u32 epoch)
{
	return &shared->lasting[which].ledgers[epoch % 2];
}

/* ---- Workers --------------------------------------------------------- */

/* A file of the filter of this epoch; -1 if its name is another's by now. */
static int open_epoch(struct me *me, __u32 which, __u32 epoch, __u32 flags)
{
	char name[GLOOM_NAME_SIZE];
	struct gloom_info info;
	int fd;

	lasting_name(name, which);
	fd = open_named(me->dev, name, flags);
	if (fd == -ENOENT)
		return -1;
	if (fd < 0 || get_info(fd, 0, &info) ||
	    info.capacity < epoch || info.capacity > epoch + 1) {
		wrong(WRONG_RESULT, "open of %s: %d", name, fd);
		return -1;
	}
	count(me, COUNT_open, 1);
	if (info.capacity == epoch)
		return fd;
	close(fd);
	return -1;
}

static bool have_open(struct me *me, __u32 which, __u32 epoch)
{
	if (me->lasting[which].epoch == epoch)
		return true;
	if (me->lasting[which].epoch) {
		close(me->lasting[which].both);
		close(me->lasting[which].write);
		me->lasting[which].epoch = 0;
	}
	me->lasting[which].both = open_epoch(me, which, epoch, GLOOM_OPEN_READ |
					     GLOOM_OPEN_WRITE);
	if (me->lasting[which].both < 0)
		return false;
	me->lasting[which].write = open_epoch(me, which, epoch,
					      GLOOM_OPEN_WRITE);
	if (me->lasting[which].write < 0) {
		close(me->lasting[which].both);
		return false;
	}
	me->lasting[which].epoch = epoch;
	return true;
}

/*
 * Say that this thread works with a filter; until it says that it does no
 * longer, the filter stays what it is. The epoch, or 0.
 */
static __u32 begin(struct me *me, __u32 which)
{
	__u32 epoch = load(&shared->lasting[which].epoch);

	me->intent->lasting = which;
	me->intent->epoch = epoch;
	me->intent->nr = 0;
	store(&me->intent->active, 1);
	if (epoch && load(&shared->lasting[which].epoch) == epoch &&
	    have_open(me, which, epoch))
		return epoch;
	store(&me->intent->active, 0);
	return 0;
}

static void intend(struct me *me, __u32 first, __u32 nr)
{
	me->intent->first = first;
	store(&me->intent->nr, nr);
}

static void end(struct me *me)
{
	store(&me->intent->active, 0);
}

/*
 * An add returned: now it is in the ledger. Relaxed, since the kernel promises
 * to be seen however one knows.
 */
static void enter(struct me *me, struct ledger *ledger, __u32 first, __u32 nr,
		  bool raced)
{
	__u32 i;

	for (i = 0; i < nr; i++) {
		__u8 answer = me->answers[i];
		__u8 known = KEY_ADDED | (answer == 1 ? KEY_NEW :
					  answer == 0 ? 0 : KEY_DOUBT);
		__u8 old = __atomic_fetch_or(&ledger->keys[first + i], known,
					     __ATOMIC_RELAXED);

		if (raced && answer != ANSWER_UNKNOWN)
			count(me, answer == 1 ? COUNT_races_won :
			      COUNT_races_lost, 1);
		if (answer == 1 && old & KEY_NEW)
			wrong(WRONG_WINNER, "key %u was new twice", first + i);
	}
}

/* Add keys that nobody else adds. */
void lasting_add(struct me *me, __u32 which)
{
	__u32 nr = chance(me, 8) ? 1 + chance(me, 8) : 1 + chance(me, NR_MAX);
	bool write_only = !chance(me, 8);
	struct source from;
	struct ledger *ledger;
	__u32 epoch, first;

	epoch = begin(me, which);
	if (!epoch)
		return;
	ledger = ledger_of(which, epoch);
	first = __atomic_fetch_add(&ledger->next, nr, __ATOMIC_RELAXED);
	if (first < PLAIN) {
		if (nr > PLAIN - first)
			nr = PLAIN - first;
		from = source_of(which, epoch);
		intend(me, first, nr);
		if (do_keys(me, write_only ? me->lasting[which].write :
			    me->lasting[which].both, &from, GLOOM_OP_ADD, first,
			    nr, write_only)) {
			enter(me, ledger, first, nr, false);
			count(me, COUNT_keys_added, nr);
			count(me, COUNT_write_only, write_only);
		}
	}
	end(me);
}

/* Add keys that all who come by add at the same time. */
void lasting_race(struct me *me, __u32 which)
{
	__u32 nr = chance(me, 8) ? 1 + chance(me, 40) : 1 + chance(me, NR_MAX);
	struct source from;
	struct ledger *ledger;
	__u32 epoch, first;

	epoch = begin(me, which);
	if (!epoch)
		return;
	ledger = ledger_of(which, epoch);
	first = load(&ledger->race);
	if (first < IDS) {
		if (nr > IDS - first)
			nr = IDS - first;
		from = source_of(which, epoch);
		intend(me, first, nr);
		if (do_keys(me, me->lasting[which].both, &from,
			    GLOOM_OP_TEST_ADD, first, nr, false)) {
			enter(me, ledger, first, nr, true);
			count(me, COUNT_keys_raced, nr);
		}
		__atomic_compare_exchange_n(&ledger->race, &first, first + nr,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	end(me);
}

/* Test keys @first to @first + @nr - 1 against what the ledger said before. */
static void check(struct me *me, int fd, __u32 which, __u32 epoch, __u32 first,
		  __u32 nr)
{
	struct source from = source_of(which, epoch);
	struct ledger *ledger = ledger_of(which, epoch);
	__u8 known[NR_MAX];
	__u32 i;

	for (i = 0; i < nr; i++)
		known[i] = __atomic_load_n(&ledger->keys[first + i],
					   __ATOMIC_RELAXED);
	if (!do_keys(me, fd, &from, GLOOM_OP_TEST, first, nr, false))
		return;
	for (i = 0; i < nr; i++) {
		if (!(known[i] & KEY_ADDED))
			continue;
		count(me, COUNT_keys_checked, 1);
		if (!me->answers[i])
			wrong(WRONG_LOST, "filter %u.%u: key %u was added and is not there",
			      which, epoch, first + i);
	}
}

/* Of all keys, or of those added last. */
void lasting_check(struct me *me, __u32 which)
{
	__u32 nr = 1 + chance(me, NR_MAX), first, newest;
	struct ledger *ledger;
	__u32 epoch;

	epoch = begin(me, which);
	if (!epoch)
		return;
	ledger = ledger_of(which, epoch);
	newest = load(chance(me, 2) ? &ledger->race : &ledger->next);
	first = chance(me, IDS - nr + 1);
	if (chance(me, 2) && newest >= nr && newest <= IDS)
		first = newest - nr;
	check(me, me->lasting[which].both, which, epoch, first, nr);
	end(me);
}

/* Look at it: bits and counters never become fewer. */
void lasting_look(struct me *me, __u32 which)
{
	struct gloom_info before, after;
	int ret;

	if (!begin(me, which))
		return;
	ret = get_info(me->lasting[which].both, GLOOM_INFO_BITS_SET, &before);
	if (!ret)
		ret = get_info(me->lasting[which].both, GLOOM_INFO_BITS_SET,
			       &after);
	if (ret || after.bits_set < before.bits_set ||
	    after.adds < before.adds || after.tests < before.tests ||
	    after.nr_blocks != 1U << CLUSTERS_LOG)
		wrong(WRONG_RESULT, "info of filter %u: %d, bits %llu -> %llu, adds %llu -> %llu, tests %llu -> %llu",
		      which, ret, before.bits_set, after.bits_set, before.adds,
		      after.adds, before.tests, after.tests);
	count(me, COUNT_info_bits, 2);
	end(me);
}

/* ---- The supervisor -------------------------------------------------- */

/* The thread of this slot was killed: what it was doing may be done or not. */
void lasting_dead(struct slot *slot)
{
	struct intent *intent = &slot->intent;
	struct ledger *ledger;
	__u32 i;

	if (!intent->active)
		return;
	ledger = ledger_of(intent->lasting, intent->epoch);
	for (i = 0; i < intent->nr; i++)
		__atomic_fetch_or(&ledger->keys[intent->first + i], KEY_DOUBT,
				  __ATOMIC_RELAXED);
	shared->troubles.counts[COUNT_kills_with_keys] += !!intent->nr;
	intent->active = 0;
}

static void renew(struct me *me, __u32 which)
{
	struct lasting *l = &shared->lasting[which];
	__u32 epoch = l->epoch + 1;
	struct gloom_create c = {
		.nr_blocks = 1U << CLUSTERS_LOG,
		.k = kinds[which].k,
		.hash = kinds[which].hash,
		.mode = 0600,
		.seed = epoch,
		.capacity = epoch,
	};
	int ret = 0;

	lasting_name(c.name, which);
	if (l->epoch)
		ret = unlink_name(me->dev, c.name);
	if (!ret)
		ret = create(me->dev, &c);
	if (ret < 0) {
		wrong(WRONG_RESULT, "no filter %u.%u: %d", which, epoch, ret);
		return;
	}
	files[which][epoch % 2] = ret;
	memset(ledger_of(which, epoch), 0, sizeof(struct ledger));
	ledger_of(which, epoch)->race = PLAIN;
	store(&l->epoch, epoch);
	retiring[which] = l->epoch > 1;
}

static bool in_use(__u32 which, __u32 epoch)
{
	const struct intent *intent;
	int i;

	for (i = 0; i < SLOTS; i++) {
		intent = &shared->slots[i].intent;
		if (load(&intent->active) && intent->lasting == which &&
		    intent->epoch == epoch)
			return true;
	}
	return false;
}

/* Nobody works with it any more: now all that the ledger says must hold. */
static void retire(struct me *me, __u32 which, __u32 epoch)
{
	struct ledger *ledger = ledger_of(which, epoch);
	int fd = files[which][epoch % 2];
	__u32 i;

	for (i = 0; i < IDS; i += NR_MAX)
		check(me, fd, which, epoch, i, IDS - i < NR_MAX ?
		      IDS - i : NR_MAX);
	for (i = 0; i < IDS; i++)
		if (ledger->keys[i] == KEY_ADDED)
			wrong(WRONG_WINNER, "filter %u.%u: key %u was new to nobody",
			      which, epoch, i);
	close(fd);
	count(me, COUNT_filters_retired, 1);
}

/* Replace those whose keys are all used. */
void lasting_turn(struct me *me)
{
	__u32 which, epoch;

	for (which = 0; which < NR_LASTING; which++) {
		struct ledger *ledger;

		epoch = shared->lasting[which].epoch;
		if (retiring[which]) {
			if (in_use(which, epoch - 1))
				continue;
			retire(me, which, epoch - 1);
			retiring[which] = false;
		}
		ledger = ledger_of(which, epoch);
		if (!epoch || (load(&ledger->next) >= PLAIN &&
			       load(&ledger->race) >= IDS))
			renew(me, which);
	}
}

/* All workers have ended. */
void lasting_end(struct me *me)
{
	char name[GLOOM_NAME_SIZE];
	__u32 which, epoch;

	for (which = 0; which < NR_LASTING; which++) {
		epoch = shared->lasting[which].epoch;
		if (!epoch)
			continue;
		if (retiring[which])
			retire(me, which, epoch - 1);
		retire(me, which, epoch);
		lasting_name(name, which);
		if (unlink_name(me->dev, name))
			wrong(WRONG_RESULT, "cannot unlink %s", name);
	}
}
