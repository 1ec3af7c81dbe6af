// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation and copy of a batch fails in turn. A batch may also end early
 * with part of the keys done. The keys with even numbers are there already.
 */

#include "fault.h"

/* More than two windows of keys; 256 is what a batch does at a time. */
#define NR_KEYS		600
#define WINDOW		256
#define WINDOWS		3
#define KEY_SIZE_MAX	64

FIXTURE(batch)
{
	int dev;
	int filter;
	char keys[NR_KEYS * KEY_SIZE_MAX];
	__u32 lens[NR_KEYS];
	__u64 size;			/* of all keys */
	__u8 results[(NR_KEYS + 7) / 8];
	struct gloom_batch args;
	__u64 bits[NR_KEYS + 1];	/* see bits_after() */
};

FIXTURE_VARIANT(batch)
{
	__u32 op;
	__u32 hash;
	__u32 key_size;			/* 0: they vary */
	bool results;
};

FIXTURE_VARIANT_ADD(batch, test_fixed) {
	.op = GLOOM_OP_TEST,
	.hash = GLOOM_HASH_XXH64,
	.key_size = 8,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, test_count) {
	.op = GLOOM_OP_TEST,
	.hash = GLOOM_HASH_XXH64,
	.key_size = 24,
};

FIXTURE_VARIANT_ADD(batch, test_variable) {
	.op = GLOOM_OP_TEST,
	.hash = GLOOM_HASH_XXH64,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, test_hashed) {
	.op = GLOOM_OP_TEST,
	.hash = GLOOM_HASH_XXH3,
	.key_size = 8,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, add_fixed) {
	.op = GLOOM_OP_ADD,
	.hash = GLOOM_HASH_XXH64,
	.key_size = KEY_SIZE_MAX,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, add_silent) {
	.op = GLOOM_OP_ADD,
	.hash = GLOOM_HASH_XXH64,
	.key_size = 8,
};

FIXTURE_VARIANT_ADD(batch, add_variable) {
	.op = GLOOM_OP_ADD,
	.hash = GLOOM_HASH_XXH64,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, add_hashed) {
	.op = GLOOM_OP_ADD,
	.hash = GLOOM_HASH_PREHASHED,
	.key_size = 8,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, test_add_fixed) {
	.op = GLOOM_OP_TEST_ADD,
	.hash = GLOOM_HASH_XXH64,
	.key_size = 16,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, test_add_variable) {
	.op = GLOOM_OP_TEST_ADD,
	.hash = GLOOM_HASH_XXH64,
	.results = true,
};

FIXTURE_VARIANT_ADD(batch, test_add_hashed) {
	.op = GLOOM_OP_TEST_ADD,
	.hash = GLOOM_HASH_XXH3,
	.key_size = 8,
	.results = true,
};

FIXTURE_SETUP(batch)
{
	__u32 i;

	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	ASSERT_TRUE(open_faults());
	memset(self->keys, 'k', sizeof(self->keys));
	for (i = 0; i < NR_KEYS; i++) {
		__u64 key = mixed(i);

		self->lens[i] = variant->key_size ? variant->key_size :
			8 + key % (KEY_SIZE_MAX - 8);
		memcpy(self->keys + self->size, &key, sizeof(key));
		self->size += self->lens[i];
	}
}

FIXTURE_TEARDOWN(batch)
{
	close(self->dev);
}

/* The same each time; with so many blocks, no key is there by chance. */
static int make_filter(FIXTURE_DATA(batch) *self,
		       const FIXTURE_VARIANT(batch) *variant)
{
	struct gloom_create c = create_args();
	const char *key = self->keys;
	bool hashed = variant->hash != GLOOM_HASH_XXH64;
	int i, ret = 0;

	c.hash = variant->hash;
	c.nr_blocks = 512;
	c.k = 16;
	create(self->dev, &c);
	for (i = 0; i < NR_KEYS && ret >= 0; i++) {
		if (i % 2 == 0 && hashed)
			ret = add_hash(c.fd, mixed(i));
		else if (i % 2 == 0)
			ret = add(c.fd, key, self->lens[i]);
		key += self->lens[i];
	}
	return ret < 0 ? ret : c.fd;
}

static int run_first(FIXTURE_DATA(batch) *self,
		     const FIXTURE_VARIANT(batch) *variant, int filter,
		     __u32 nr_keys)
{
	struct gloom_batch *b = &self->args;
	__u32 i;

	*b = batch_args(variant->op, self->keys, variant->key_size, nr_keys,
			variant->results ? self->results : NULL);
	if (!variant->key_size) {
		b->keys_size = 0;
		for (i = 0; i < nr_keys; i++)
			b->keys_size += self->lens[i];
		b->lens = (uintptr_t)self->lens;
	}
	if (variant->hash != GLOOM_HASH_XXH64)
		b->flags = GLOOM_KEYS_HASHED;
	memset(self->results, POISON, sizeof(self->results));
	return batch(filter, b);
}

/* Bits that are set when the first @nr_keys are done. */
static __u64 bits_after(FIXTURE_DATA(batch) *self,
			const FIXTURE_VARIANT(batch) *variant, __u32 nr_keys)
{
	struct gloom_batch saved = self->args;
	int twin;

	if (self->bits[nr_keys])
		return self->bits[nr_keys];
	twin = make_filter(self, variant);
	if (twin < 0 || run_first(self, variant, twin, nr_keys) ||
	    self->args.nr_done != nr_keys)
		abort();
	self->bits[nr_keys] = snapshot(twin).bits_set;
	close(twin);
	self->args = saved;
	return self->bits[nr_keys];
}

/* The answers for the keys done: even ones are there, odd ones are not. */
static bool answers_right(FIXTURE_DATA(batch) *self,
			  const FIXTURE_VARIANT(batch) *variant)
{
	bool even = variant->op == GLOOM_OP_TEST;
	__u32 done = self->args.nr_done, i;

	if (!done || done > NR_KEYS || (done < NR_KEYS && done % 8))
		return false;
	if (self->args.nr_positive != (even ? (done + 1) / 2 : done / 2))
		return false;
	for (i = 0; variant->results && i < done; i++)
		if (bitmap_bit(self->results, i) != (even == !(i % 2)))
			return false;
	return true;
}

/*
 * Memory that the answers go to is looked at before bits are set, so what is
 * done is lost only when that memory goes away meanwhile. Whether it looks like
 * that: the window that begins at @done is done as well, or all is.
 */
static bool answers_lost(FIXTURE_DATA(batch) *self,
			 const FIXTURE_VARIANT(batch) *variant, __u32 done,
			 const struct gloom_info *before)
{
	__u32 end = done + WINDOW < NR_KEYS ? done + WINDOW : NR_KEYS;
	struct gloom_info now = snapshot(self->filter);
	__u64 keys = now.adds - before->adds + now.tests - before->tests;

	if (keys == NR_KEYS && !done)
		end = NR_KEYS;
	return keys == end && now.bits_set == bits_after(self, variant, end);
}

/* How often calls of a walk ended in which way. */
struct outcomes {
	unsigned int faults, enomem, early, lost;
};

/* One round with the @nth of it failing. Whether something failed. */
static bool round_of(struct __test_metadata *_metadata,
		     FIXTURE_DATA(batch) *self,
		     const FIXTURE_VARIANT(batch) *variant, unsigned int nth,
		     struct outcomes *o)
{
	struct state before, after;
	bool failed;
	__u32 done;
	int ret;

	self->filter = make_filter(self, variant);
	ASSERT_LE(0, self->filter);
	take_state(&before, self->dev, self->filter);

	arm(nth);
	ret = run_first(self, variant, self->filter, NR_KEYS);
	failed = disarm();

	done = ret ? 0 : self->args.nr_done;
	take_state(&after, self->dev, self->filter);
	o->faults += failed;
	o->enomem += ret == -ENOMEM;
	ASSERT_TRUE(failed || done == NR_KEYS);
	ASSERT_TRUE(ret || answers_right(self, variant)) {
		TH_LOG("fault %u: %u done, %u positive", nth,
		       self->args.nr_done, self->args.nr_positive);
	}
	ASSERT_TRUE(!ret || ret == -EFAULT || ret == -ENOMEM) {
		TH_LOG("fault %u: %s", nth, strerror(-ret));
	}
	if (ret && !memcmp(&before, &after, sizeof(after))) {
		ASSERT_EQ(0, run_first(self, variant, self->filter, NR_KEYS));
		ASSERT_EQ(NR_KEYS, self->args.nr_done);
		ASSERT_TRUE(answers_right(self, variant));
	} else if (!ret &&
		   after.filter.bits_set == bits_after(self, variant, done) &&
		   after.filter.adds + after.filter.tests ==
		   before.filter.adds + done) {
		o->early += done < NR_KEYS;
	} else {
		ASSERT_NE(-ENOMEM, ret);
		ASSERT_TRUE(answers_lost(self, variant, done, &before.filter)) {
			TH_LOG("fault %u: %d, %u done, but something changed",
			       nth, ret, done);
		}
		o->lost++;
	}
	close(self->filter);
	return failed;
}

TEST_F_TIMEOUT(batch, walk, 120)
{
	const unsigned int copies = (variant->results ? WINDOWS : 0) + 1;
	struct kernel_objects objects = kernel_objects();
	struct outcomes o = { };
	unsigned int nth;
	int pass;

	for (pass = 0; pass < PASSES; pass++) {
		for (nth = 1; nth < NTH_MAX; nth++)
			if (!round_of(_metadata, self, variant, nth, &o))
				break;
		ASSERT_GT(NTH_MAX, nth);
	}
	TH_LOG("%u faults: %u ENOMEM, %u ended early, %u lost answers",
	       o.faults, o.enomem, o.early, o.lost);
	EXPECT_LT(0, o.enomem);
	EXPECT_LT(0, o.faults - o.enomem);
	/* Twice as many as there are, for those that are met twice. */
	EXPECT_GE(2 * PASSES * copies, o.lost);
	EXPECT_TRUE(kernel_objects_are(&objects));
}

FIXTURE(end) { };
FIXTURE_SETUP(end) { }
FIXTURE_TEARDOWN(end) { }

TEST_F(end, nothing_left)
{
	EXPECT_EQ(0, remove_names());
	EXPECT_TRUE(usage_is(&end_usage));
}

TEST_F(end, kernel_log_silent)
{
	check_log(_metadata);
}

int main(int argc, char **argv)
{
	begin();
	begin_faults();
	return test_harness_run(argc, argv);
}
