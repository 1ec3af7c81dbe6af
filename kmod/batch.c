// SPDX-License-Identifier: GPL-2.0
/*
 * Many keys in one call, a window at a time: take keys in and hash them, probe
 * them group by group, give the answers out; then look at signals and the
 * scheduler. A constant amount of memory whatever the number of keys.
 */

#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xxhash.h>

#include "gloom.h"

/**
 * struct window - the part of a batch that is being worked on
 * @nr: keys taken in; a multiple of 8 unless @err or the last
 * @err: why the next key could not be taken, or 0
 * @keys: where in user memory the next key is
 * @keys_left: bytes there
 * @lens: where the length of the next key is
 * @hash: of the keys taken in
 * @len: their lengths, when they vary
 * @result: the answers
 * @buffer: keys on their way to be hashed
 */
struct window {
	unsigned int nr;
	int err;
	u64 keys;
	u64 keys_left;
	u64 lens;
	u64 hash[GLOOM_WINDOW_KEYS];
	u32 len[GLOOM_WINDOW_KEYS];
	__le32 result[GLOOM_WINDOW_KEYS / 32];
	u8 buffer[GLOOM_WINDOW_BYTES];
};

/*
 * Copies items in until one cannot be read whole; returns how many could. On
 * some architectures a large copy stops short of a fault by some bytes, so the
 * last ones are tried one by one.
 */
static unsigned int copy_in(void *to, u64 from, unsigned int nr, size_t size)
{
	const void __user *src = u64_to_user_ptr(from);
	size_t left = copy_from_user(to, src, nr * size);
	unsigned int done;

	if (likely(!left))
		return nr;
	done = (nr * size - left) / size;
	while (done < nr && !copy_from_user(to + done * size,
					    src + done * size, size))
		done++;
	return done;
}

static void take_hashes(struct window *w, unsigned int want)
{
	w->nr = copy_in(w->hash, w->keys, want, sizeof(u64));
	w->keys += w->nr * sizeof(u64);
	if (w->nr < want)
		w->err = -EFAULT;
}

/* Always inline: with a constant size xxh64() is called with a constant. */
static __always_inline void hash_run(u64 *hash, const u8 *key, unsigned int nr,
				     u32 size, u64 seed)
{
	for (; nr; nr--, key += size)
		*hash++ = xxh64(key, size, seed);
}

static void take_fixed(struct window *w, unsigned int want, u32 size, u64 seed)
{
	const unsigned int fit = sizeof(w->buffer) / size;

	while (w->nr < want && !w->err) {
		unsigned int run = min(want - w->nr, fit);
		unsigned int nr = copy_in(w->buffer, w->keys, run, size);

		if (nr < run)
			w->err = -EFAULT;
		if (size == sizeof(u64))
			hash_run(&w->hash[w->nr], w->buffer, nr, sizeof(u64),
				 seed);
		else
			hash_run(&w->hash[w->nr], w->buffer, nr, size, seed);
		w->nr += nr;
		w->keys += nr * size;
	}
}

/*
 * How many of the next keys go into the buffer together, and their bytes. Sets
 * @err when it is a bad key that ends the run.
 */
static unsigned int run_length(struct window *w, unsigned int nr, size_t *bytes)
{
	unsigned int i;
	size_t sum = 0;

	for (i = w->nr; i < nr; i++) {
		u32 len = w->len[i];

		if (len > GLOOM_KEY_MAX) {
			w->err = -EMSGSIZE;
			break;
		}
		if (len > w->keys_left - sum) {
			w->err = -EINVAL;
			break;
		}
		if (len > sizeof(w->buffer) - sum)
			break;
		sum += len;
	}
	*bytes = sum;
	return i - w->nr;
}

static void take_variable(struct window *w, unsigned int want, u64 seed)
{
	unsigned int nr;

	nr = copy_in(w->len, w->lens, want, sizeof(u32));
	while (w->nr < nr && !w->err) {
		size_t bytes, at = 0;
		unsigned int run;
		bool whole;

		run = run_length(w, nr, &bytes);
		whole = copy_in(w->buffer, w->keys, 1, bytes);
		for (; run; run--) {
			u32 len = w->len[w->nr];

			/* After a failure, key by key up to the bad one. */
			if (!whole && copy_from_user(w->buffer + at,
						     u64_to_user_ptr(w->keys) +
						     at, len)) {
				w->err = -EFAULT;
				break;
			}
			w->hash[w->nr++] = xxh64(w->buffer + at, len, seed);
			at += len;
		}
		w->keys += at;
		w->keys_left -= at;
	}
	w->lens += w->nr * sizeof(u32);
	if (nr < want && !w->err)
		w->err = -EFAULT;
}

/*
 * Make sure that the answers can be delivered before bits are set: keys whose
 * answer would be lost are not done.
 */
static void claim_results(struct window *w, u64 results)
{
	u8 __user *to = u64_to_user_ptr(results);
	unsigned int bytes = DIV_ROUND_UP(w->nr, 8);
	unsigned int i;

	if (likely(!clear_user(to, bytes)))
		return;
	/* It does not say exactly where it failed. */
	for (i = 0; i < bytes && !put_user(0, &to[i]); i++)
		;
	w->nr = min(w->nr, i * 8);
	w->err = -EFAULT;
}

static u32 probe_window(struct window *w, struct gloom_table *table, u32 op)
{
	unsigned int i;
	u32 positive = 0;

	for (i = 0; i < w->nr; i += GLOOM_GROUP_KEYS) {
		unsigned int nr = min_t(unsigned int, w->nr - i,
					GLOOM_GROUP_KEYS);
		u32 result = gloom_probe(table, op, &w->hash[i], nr);

		w->result[i / GLOOM_GROUP_KEYS] = cpu_to_le32(result);
		positive += hweight32(result);
	}
	return positive;
}

/*
 * gloom_batch - one operation on many keys
 * @filter:	the filter
 * @args:	what the user asked for, validated but for the pointers; nr_done
 *		and nr_positive are set
 *
 * Returns an error only if not even the first key was done.
 */
int gloom_batch(struct gloom_filter *filter, struct gloom_batch *args)
{
	struct gloom_table *table = filter->table;
	const u64 seed = table->geo.seed;
	struct window *w;
	int err;

	args->nr_done = 0;
	args->nr_positive = 0;
	if (!args->nr_keys)
		return 0;

	w = kmalloc(sizeof(*w), GLOOM_GFP_BUFFER);
	if (!w)
		return -ENOMEM;
	w->err = 0;
	w->keys = args->keys;
	w->keys_left = args->keys_size;
	w->lens = args->lens;

	do {
		unsigned int want = min_t(u32, args->nr_keys - args->nr_done,
					  GLOOM_WINDOW_KEYS);
		u64 results = args->results + args->nr_done / 8;
		u32 positive;

		w->nr = 0;
		if (args->flags & GLOOM_KEYS_HASHED)
			take_hashes(w, want);
		else if (args->key_size)
			take_fixed(w, want, args->key_size, seed);
		else
			take_variable(w, want, seed);
		if (args->results)
			claim_results(w, results);

		positive = probe_window(w, table, args->op);
		gloom_count(filter, args->op, w->nr, positive);

		if (args->results &&
		    copy_to_user(u64_to_user_ptr(results), w->result,
				 DIV_ROUND_UP(w->nr, 8))) {
			/* Unmapped meanwhile, by the caller's own process. */
			w->err = -EFAULT;
			break;
		}
		args->nr_done += w->nr;
		args->nr_positive += positive;
		cond_resched();
	} while (!w->err && args->nr_done < args->nr_keys &&
		 !signal_pending(current));

	err = args->nr_done ? 0 : w->err;
	kfree(w);
	return err;
}
