// SPDX-License-Identifier: GPL-2.0
/* Adding and testing, against the model. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Keys in a batch begin anew after so many. */
#define PERIOD		200

#define MAX_KEYS	KEYS_BYTES

/* What a byte of results is before, to see which were written. */
#define UNTOUCHED	0xa5

/* The keys of one call, as far as they can be taken. */
struct keys {
	struct model *model;
	unsigned int op;
	unsigned int nr;	/* of these the hashes are known */
	uint64_t hash[MAX_KEYS];
	bool was_must[MAX_KEYS];
	uint8_t blob[KEYS_BYTES];
	uint32_t lens[4096];
};

static struct keys workspace[MAX_THREADS];

/* A key: the same number and length, the same bytes. */
static void key_bytes(uint8_t *to, uint64_t number, uint32_t len)
{
	uint64_t word = number * 0x9e3779b97f4a7c15 + len;
	uint32_t i;

	for (i = 0; i < len; i++) {
		if (i % 8 == 0) {
			word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9;
			word ^= word >> 32;
		}
		to[i] = word >> i % 8 * 8;
	}
}

/* Does that call have a certain outcome to the last bit? */
static bool exact(const struct keys *keys)
{
	return run.solo && !keys->model->vague;
}

/* Before the call. */
static void begin(struct keys *keys, bool unknown)
{
	unsigned int i;

	if (unknown) {
		keys->model->vague = true;
		return;
	}
	for (i = 0; i < keys->nr; i++) {
		keys->was_must[i] = model_must(keys->model, keys->hash[i]);
		if (!run.solo && keys->op != GLOOM_OP_TEST)
			model_set_may(keys->model, keys->hash[i]);
	}
}

/*
 * Key number i is done; @result: 0, 1, or -1 if it is not told. Returns what
 * it must have been, as far as that is known.
 */
static bool done(struct keys *keys, unsigned int i, int result)
{
	struct model *model = keys->model;
	uint64_t hash = keys->hash[i];
	bool present = model_must(model, hash);

	if (keys->op == GLOOM_OP_TEST) {
		ORACLE(result || !keys->was_must[i],
		       "FALSE NEGATIVE: key %u was added before", i);
		if (result == 1 && !present)
			ORACLE(model->vague || run.vague ||
			       model_may(model, hash),
			       "key %u is found but was never added", i);
		return present;
	}
	ORACLE(result != 1 || !keys->was_must[i],
	       "key %u is said to be new but was added before", i);
	if (result == 0 && exact(keys))
		ORACLE(present, "key %u is new but said not to be", i);
	model_set_may(model, hash);
	model_set_must(model, hash);
	return !present;
}

/* What the counters must be, if all is exact. */
static void count(struct keys *keys, uint64_t nr, uint64_t nr_positive)
{
	struct model *model = keys->model;

	if (!run.solo)
		return;
	if (keys->op == GLOOM_OP_TEST) {
		model->tests += nr;
		model->positives += nr_positive;
	} else {
		model->adds += nr;
		model->adds_new += nr_positive;
	}
}

static bool may_do(const struct slot *slot, unsigned int op, bool results)
{
	switch (op) {
	case GLOOM_OP_TEST:
		return slot->read;
	case GLOOM_OP_ADD:
		return slot->write && (slot->read || !results);
	case GLOOM_OP_TEST_ADD:
		return slot->read && slot->write;
	}
	return false;
}

static bool hashed(const struct slot *slot)
{
	return slot->model->args.hash != GLOOM_HASH_XXH64;
}

/* Errors that these commands can have. */
static void check_error(int rc)
{
	switch (rc) {
	case 0:
	case -EINVAL:
	case -EFAULT:
	case -EBADF:
	case -E2BIG:
	case -EMSGSIZE:
	case -EOPNOTSUPP:
	case -ENOTTY:
	case -ENOMEM:
		return;
	}
	oracle("error %d is not one that keys have", rc);
}

int key_step(const struct step *step, unsigned int thread)
{
	unsigned int command = step->action == ACT_ADD ? GLOOM_IOC_ADD :
							 GLOOM_IOC_TEST;
	struct keys *keys = &workspace[thread];
	struct call call = { .step = step, .thread = thread };
	struct gloom_key args = {
		.flags = step->field[F_FLAGS],
		.len = step->field[F_LEN],
		.result = UNTOUCHED,
	};
	struct slot slot = file_get(step);
	uint32_t len = args.len < KEYS_BYTES ? args.len : KEYS_BYTES;
	bool good, unknown = false, positive;
	struct spot spot;

	keys->model = slot.model;
	keys->op = step->action == ACT_ADD ? GLOOM_OP_ADD : GLOOM_OP_TEST;
	keys->nr = 0;
	if (args.flags & GLOOM_KEYS_HASHED) {
		key_bytes((uint8_t *)&args.key, step->field[F_KEY], 8);
		if (args.len == 1 || args.len == 8)
			args.len = 0;
		good = !args.len;
		memcpy(keys->blob, &args.key, 8);
	} else {
		spot = memory_place(thread, AREA_KEYS, step->field[F_KEYS],
				    len);
		key_bytes(keys->blob, step->field[F_KEY], len);
		memcpy(spot.bytes, keys->blob, !spot.bytes ? 0 :
		       len < spot.readable ? len : spot.readable);
		memory_settle(&spot);
		args.key = spot.user;
		good = args.len <= GLOOM_KEY_MAX && args.len <= spot.readable;
		unknown = spot.shared;
	}
	if (slot.model) {
		good = good && !(args.flags & ~GLOOM_KEYS_FLAGS) &&
		       may_do(&slot, keys->op, false) &&
		       (args.flags & GLOOM_KEYS_HASHED) == hashed(&slot);
		unknown |= step->field[F_ARG] % 256 == PLACE_SHARED;
		if (good && !unknown) {
			keys->hash[0] = model_hash(slot.model, keys->blob,
						   args.len);
			keys->nr = 1;
		}
		begin(keys, unknown);
	}
	call_make(&call, slot.fd, command, &args, sizeof(args), true);
	check_error(call.rc);
	if (!slot.model || unknown)
		return call.rc;
	if (run.solo)
		ORACLE(!call.rc == (good && call.good), "key: %d", call.rc);
	if (call.rc)
		return call.rc;
	if (!good) {
		oracle("a key is accepted that is wrong");
		return call.rc;
	}
	ORACLE(args.result <= 1 && (slot.read || !args.result),
	       "result is %u", args.result);
	positive = done(keys, 0, slot.read ? (int)args.result : -1);
	count(keys, 1, positive);
	if (exact(keys) && slot.read)
		ORACLE(args.result == positive, "result is %u, not %u",
		       args.result, positive);
	return 0;
}

/* A batch, and the memory that it is about. */
struct batch {
	struct gloom_batch args;
	struct spot keys, lens, results;
	uint32_t nr_lens;	/* that are known */
};

/* How many keys can be taken, that is all before the first bad one. */
static unsigned int takeable(const struct batch *batch, const struct keys *keys)
{
	const struct gloom_batch *args = &batch->args;
	uint64_t limit = args->nr_keys, at = 0;
	unsigned int i;

	if (args->results && limit > 8 * (uint64_t)batch->results.writable)
		limit = 8 * (uint64_t)batch->results.writable;
	if (args->key_size) {
		at = batch->keys.readable / args->key_size;
		return limit < at ? limit : at;
	}
	if (limit > batch->lens.readable / 4)
		limit = batch->lens.readable / 4;
	for (i = 0; i < limit; i++) {
		uint32_t len = keys->lens[i];

		if (len > GLOOM_KEY_MAX || len > args->keys_size - at)
			break;
		if (len && at + len > batch->keys.readable)
			break;
		at += len;
	}
	return i;
}

static bool batch_good(const struct slot *slot, const struct gloom_batch *args)
{
	if (args->flags & ~GLOOM_KEYS_FLAGS || args->reserved ||
	    !may_do(slot, args->op, args->results) ||
	    (args->flags & GLOOM_KEYS_HASHED) != hashed(slot))
		return false;
	if (args->flags & GLOOM_KEYS_HASHED && args->key_size != 8)
		return false;
	if (!args->key_size)
		return true;
	return args->key_size <= GLOOM_KEY_MAX && !args->lens &&
	       args->keys_size == (uint64_t)args->nr_keys * args->key_size;
}

/* Lengths of a pattern, of which one may be another. */
static size_t make_lens(struct keys *keys, const struct step *step, uint32_t nr)
{
	static const uint16_t scale[] = { 1, 2, 9, 33, 300, 4097 };
	const uint64_t *field = step->field;
	size_t sum = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		uint64_t mix = (field[F_LEN] + i) * 0x9e3779b97f4a7c15;

		keys->lens[i] = (mix >> 40) % scale[field[F_LEN] % 6];
		if (i + 1 == field[F_BAD])
			keys->lens[i] = field[F_BAD_LEN];
		sum += keys->lens[i] <= GLOOM_KEY_MAX ? keys->lens[i] : 0;
	}
	return sum;
}

/* The keys one behind the other; returns their bytes. */
static size_t make_blob(struct keys *keys, const struct step *step, uint32_t nr,
			uint32_t key_size)
{
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		uint32_t len = key_size ? key_size : keys->lens[i];

		if (len > GLOOM_KEY_MAX || len > KEYS_BYTES - at)
			break;
		key_bytes(keys->blob + at, step->field[F_KEY] + i % PERIOD,
			  len);
		at += len;
	}
	return at;
}

static void copy_to_spot(const struct spot *spot, const void *from, size_t size)
{
	if (spot->bytes)
		memcpy(spot->bytes, from,
		       size < spot->readable ? size : spot->readable);
	memory_settle(spot);
}

static void make_batch(struct batch *batch, struct keys *keys,
		       const struct step *step, unsigned int thread)
{
	const uint64_t *field = step->field;
	struct gloom_batch *args = &batch->args;
	uint32_t nr = field[F_NR];
	size_t bytes, sum;

	*args = (struct gloom_batch){
		.flags = field[F_FLAGS],
		.op = field[F_OP],
		.key_size = field[F_KEY_SIZE],
		.nr_keys = nr,
		.nr_done = UNTOUCHED,
		.nr_positive = UNTOUCHED,
		.reserved = field[F_RESERVED],
	};
	if (args->flags & GLOOM_KEYS_HASHED && args->key_size % 2)
		args->key_size = 8;
	batch->nr_lens = args->key_size ? 0 : nr < 4096 ? nr : 4096;
	sum = make_lens(keys, step, batch->nr_lens);
	args->keys_size = args->key_size ? (uint64_t)nr * args->key_size : sum;
	bytes = make_blob(keys, step, nr < MAX_KEYS ? nr : MAX_KEYS,
			  args->key_size);
	batch->keys = memory_place(thread, AREA_KEYS, field[F_KEYS],
				   args->keys_size < KEYS_BYTES ?
				   args->keys_size : KEYS_BYTES);
	copy_to_spot(&batch->keys, keys->blob, bytes);
	args->keys = batch->keys.user;
	batch->lens = (struct spot){ .user = 0 };
	if (!args->key_size || field[F_RESERVED]) {
		batch->lens = memory_place(thread, AREA_LENS, field[F_LENS],
					   4 * (size_t)batch->nr_lens);
		copy_to_spot(&batch->lens, keys->lens, 4 * batch->nr_lens);
		args->lens = batch->lens.user;
	}
	batch->results = memory_place(thread, AREA_RESULTS, field[F_RESULTS],
				      nr < 8 * 8192 ? (nr + 7) / 8 : 8192);
	if (batch->results.bytes && !batch->results.shared)
		memset(batch->results.bytes, UNTOUCHED,
		       batch->results.readable);
	memory_settle(&batch->results);
	args->results = batch->results.user;
	if (field[F_KEYS_SIZE])
		args->keys_size = field[F_KEYS_SIZE] - 1;
}

static void hash_batch(const struct batch *batch, struct keys *keys)
{
	const uint8_t *key = keys->blob;
	unsigned int i;

	for (i = 0; i < keys->nr; i++) {
		uint32_t len = batch->args.key_size;

		if (!len)
			len = keys->lens[i];
		keys->hash[i] = model_hash(keys->model, key, len);
		key += len;
	}
}

/* Bits behind the last key are 0, bytes behind those are left alone. */
static void check_rest(const struct batch *batch, uint32_t nr)
{
	const struct spot *spot = &batch->results;
	size_t i = (nr + 7) / 8;

	if (!spot->bytes || spot->shared)
		return;
	if (nr % 8)
		ORACLE(!(spot->bytes[nr / 8] >> nr % 8),
		       "results behind key %u are not 0", nr);
	for (; i < spot->readable; i++)
		ORACLE(spot->bytes[i] == UNTOUCHED,
		       "byte %zu of results was written", i);
}

static void check_batch(struct batch *batch, struct keys *keys,
			const struct slot *slot)
{
	const struct gloom_batch *args = &batch->args;
	const uint8_t *results = batch->results.shared ? NULL :
				 batch->results.bytes;
	uint64_t told = 0, shall = 0;
	unsigned int i;

	ORACLE(args->nr_positive <= args->nr_done,
	       "%u positive of %u done", args->nr_positive, args->nr_done);
	if (args->nr_done != keys->nr) {
		ORACLE(args->nr_done < keys->nr && !run.solo && run.signals &&
		       args->nr_done && args->nr_done % 8 == 0,
		       "%u keys done, not %u", args->nr_done, keys->nr);
		if (args->nr_done > keys->nr)
			return;
	}
	for (i = 0; i < args->nr_done; i++) {
		int result = results ? results[i / 8] >> i % 8 & 1 : -1;
		bool is;

		is = done(keys, i, result);
		shall += is;
		told += result > 0;
		if (results && exact(keys))
			ORACLE(result == is, "key %u: %d, not %d", i, result,
			       is);
	}
	count(keys, args->nr_done, shall);
	if (results)
		ORACLE(args->nr_positive == told, "%u positive, not %llu",
		       args->nr_positive, (unsigned long long)told);
	if (exact(keys) && slot->read)
		ORACLE(args->nr_positive == shall, "%u positive, not %llu",
		       args->nr_positive, (unsigned long long)shall);
	if (!slot->read)
		ORACLE(!args->nr_positive, "a writer is told of positives");
	check_rest(batch, args->nr_done);
}

int batch_step(const struct step *step, unsigned int thread)
{
	struct keys *keys = &workspace[thread];
	struct call call = { .step = step, .thread = thread };
	struct slot slot = file_get(step);
	bool good = false, unknown;
	struct batch batch;

	make_batch(&batch, keys, step, thread);
	keys->model = slot.model;
	keys->op = batch.args.op;
	keys->nr = 0;
	unknown = batch.keys.shared || batch.lens.shared ||
		  step->field[F_ARG] % 256 == PLACE_SHARED;
	if (slot.model) {
		good = batch_good(&slot, &batch.args);
		if (good && !unknown) {
			keys->nr = takeable(&batch, keys);
			hash_batch(&batch, keys);
		}
		begin(keys, unknown);
	}
	call_make(&call, slot.fd, GLOOM_IOC_BATCH, &batch.args,
		  sizeof(batch.args), true);
	check_error(call.rc);
	if (!slot.model || unknown)
		return call.rc;
	good = good && (keys->nr || !batch.args.nr_keys);
	if (run.solo)
		ORACLE(!call.rc == (good && call.good), "batch: %d, %u keys",
		       call.rc, keys->nr);
	if (call.rc) {
		check_rest(&batch, 0);
		return call.rc;
	}
	if (good)
		check_batch(&batch, keys, &slot);
	else
		oracle("a batch is accepted that is wrong");
	return 0;
}
