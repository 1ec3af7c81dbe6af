// SPDX-License-Identifier: GPL-2.0
/* One operation on some keys, in any of the forms that there are. */

#include "soak.h"

/* A key at @to; its length. With hashes, the hash. */
static __u32 make_key(const struct source *from, __u32 i, char *to)
{
	__u64 n = mixed(from->base + i);
	__u32 len = 8;

	/* Four neighbours to a block; below that, by chance. */
	if (from->clustered)
		n = (__u64)(i / 4) << (64 - CLUSTERS_LOG) | n >> CLUSTERS_LOG;
	memcpy(to, &n, sizeof(n));
	if (from->variable) {
		len += n % 64 ? n / 64 % 40 : n / 64 % (GLOOM_KEY_MAX - 7);
		memset(to + sizeof(n), n % 251, len - sizeof(n));
	}
	return len;
}

static bool do_one(struct me *me, int fd, const struct source *from, __u32 op,
		   __u32 i, __u8 *answer)
{
	bool hashed = from->hash != GLOOM_HASH_XXH64, is_test;
	struct gloom_key k = { .size = sizeof(k) };
	char key[GLOOM_KEY_MAX];
	int ret;

	k.len = make_key(from, i, key);
	k.key = (uintptr_t)key;
	if (hashed) {
		k.flags = GLOOM_KEYS_HASHED;
		memcpy(&k.key, key, sizeof(k.key));
		k.len = 0;
	}
	is_test = op == GLOOM_OP_TEST;
	ret = xioctl(fd, is_test ? GLOOM_IOC_TEST : GLOOM_IOC_ADD, &k);
	if (ret || k.result > 1) {
		wrong(WRONG_RESULT, "op %u of one key: %d, result %u", op, ret,
		      k.result);
		return false;
	}
	*answer = k.result;
	if (hashed)
		count(me, is_test ? COUNT_test_hash : COUNT_add_hash, 1);
	else if (k.len > 256)
		count(me, is_test ? COUNT_test_long : COUNT_add_long, 1);
	else
		count(me, is_test ? COUNT_test : COUNT_add, 1);
	return true;
}

static void count_batch(struct me *me, const struct gloom_batch *b)
{
	count(me, b->op == GLOOM_OP_TEST ? COUNT_batch_test :
	      b->op == GLOOM_OP_ADD ? COUNT_batch_add : COUNT_batch_test_add,
	      1);
	count(me, b->flags ? COUNT_batch_hashed : b->key_size ?
	      COUNT_batch_fixed : COUNT_batch_variable, 1);
	if (!b->results)
		count(me, COUNT_batch_silent, 1);
}

/*
 * As many of the keys as fit into the buffer; how many that was, or 0 when
 * something went wrong. Without @silent, asks for each answer.
 */
static __u32 do_batch(struct me *me, int fd, const struct source *from,
		      __u32 op, __u32 first, __u32 nr, bool silent)
{
	bool hashed = from->hash != GLOOM_HASH_XXH64;
	struct gloom_batch b = { .size = sizeof(b), .op = op };
	__u32 i, positive = 0;
	char *to = me->keys;
	int ret;

	for (i = 0; i < nr; i++) {
		if (to + GLOOM_KEY_MAX > me->keys + sizeof(me->keys))
			break;
		me->lens[i] = make_key(from, first + i, to);
		to += me->lens[i];
	}
	b.nr_keys = i;
	b.keys = (uintptr_t)me->keys;
	b.keys_size = to - me->keys;
	if (hashed)
		b.flags = GLOOM_KEYS_HASHED;
	/* Keys of one length may be passed as if they varied. */
	if (hashed || (!from->variable && chance(me, 4)))
		b.key_size = 8;
	else
		b.lens = (uintptr_t)me->lens;
	if (!silent)
		b.results = (uintptr_t)me->map;
	memset(me->map, 0xcc, sizeof(me->map));

	ret = xioctl(fd, GLOOM_IOC_BATCH, &b);
	if (ret || b.nr_done != b.nr_keys || b.nr_positive > b.nr_done) {
		wrong(WRONG_RESULT, "op %u of %u keys: %d, %u done, %u positive",
		      op, b.nr_keys, ret, b.nr_done, b.nr_positive);
		return 0;
	}
	for (i = 0; i < b.nr_keys; i++) {
		if (!silent)
			me->answers[i] = me->map[i / 8] >> (i % 8) & 1;
		else if (b.nr_positive % b.nr_keys == 0)
			me->answers[i] = !!b.nr_positive;
		else
			me->answers[i] = ANSWER_UNKNOWN;
		positive += me->answers[i];
	}
	if (!silent && positive != b.nr_positive) {
		wrong(WRONG_RESULT, "op %u of %u keys: %u results, %u positive",
		      op, b.nr_keys, positive, b.nr_positive);
		return 0;
	}
	count_batch(me, &b);
	return b.nr_keys;
}

/*
 * do_keys - do one operation on keys @first to @first + @nr - 1
 * @write_only: the file is, so that nothing is answered
 *
 * Leaves the answers in me->answers; all are known when testing.
 * False, having said so, when something went
 * wrong.
 */
bool do_keys(struct me *me, int fd, const struct source *from, __u32 op,
	     __u32 first, __u32 nr, bool write_only)
{
	__u32 done = 0, i;
	__u8 answers[NR_MAX];

	if (op != GLOOM_OP_TEST_ADD && !chance(me, 3)) {
		for (; done < nr; done++)
			if (!do_one(me, fd, from, op, first + done,
				    &answers[done]))
				return false;
	}
	while (done < nr) {
		__u32 now = do_batch(me, fd, from, op, first + done, nr - done,
				     write_only || (op != GLOOM_OP_TEST &&
						    !chance(me, 4)));

		if (!now)
			return false;
		memcpy(answers + done, me->answers, now);
		done += now;
	}
	for (i = 0; i < nr; i++)
		me->answers[i] = write_only ? ANSWER_UNKNOWN : answers[i];
	return true;
}
