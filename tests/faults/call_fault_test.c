// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation and copy of each command fails in turn: the call says so with
 * a documented errno, or does without; what it leaves behind is as before.
 */

#include "fault.h"

FIXTURE(call)
{
	int dev;
	int filter;		/* -1: none */
	int other;		/* what the call opened */
	__u32 hash;
	char present[GLOOM_NAME_SIZE];
	char absent[GLOOM_NAME_SIZE];
	char key[GLOOM_KEY_MAX];
	__u64 nr_blocks;
	__u32 flags;
	struct gloom_query query;
	struct gloom_next next;
	struct gloom_info info;
	int result;
};

/* One call; 0 or a negative errno. */
typedef int call_fn(FIXTURE_DATA(call) *self);
/* Whether it did the right thing; takes it back. */
typedef bool undo_fn(FIXTURE_DATA(call) *self);

static int run_query(FIXTURE_DATA(call) *self)
{
	return query(self->dev, &self->query);
}

static bool undo_query(FIXTURE_DATA(call) *self)
{
	return self->query.abi == GLOOM_ABI &&
	       self->query.nr_filters == usage().nr_filters;
}

static int create_called(FIXTURE_DATA(call) *self, const char *name)
{
	struct gloom_create c = create_args();

	c.flags = self->flags;
	c.nr_blocks = self->nr_blocks;
	set_name(c.name, name);
	self->other = create(self->dev, &c);
	return self->other < 0 ? self->other : 0;
}

static int run_create(FIXTURE_DATA(call) *self)
{
	return create_called(self, "");
}

static int run_create_named(FIXTURE_DATA(call) *self)
{
	return create_called(self, self->absent);
}

/* It works, and is another than the one there was. */
static bool undo_create(FIXTURE_DATA(call) *self)
{
	struct gloom_info info = snapshot(self->other);
	bool right = !info.bits_set && !info.adds &&
		     add(self->other, "key", 3) == 1 &&
		     test(self->other, "key", 3) == 1;

	if (info.name[0])
		right = right && !unlink_name(self->dev, info.name);
	close(self->other);
	return right;
}

static int run_open(FIXTURE_DATA(call) *self)
{
	self->other = open_named(self->dev, self->present, self->flags);
	return self->other < 0 ? self->other : 0;
}

static bool undo_open(FIXTURE_DATA(call) *self)
{
	struct gloom_info info, same;
	bool right = !get_info(self->other, 0, &info) &&
		     !get_info(self->filter, 0, &same) && info.id == same.id;

	close(self->other);
	return right;
}

static int run_unlink(FIXTURE_DATA(call) *self)
{
	return unlink_name(self->dev, self->present);
}

static bool undo_unlink(FIXTURE_DATA(call) *self)
{
	return open_named(self->dev, self->present, 1) == -ENOENT;
}

static int run_next(FIXTURE_DATA(call) *self)
{
	memset(&self->next, 0, sizeof(self->next));
	return next_name(self->dev, &self->next);
}

static bool undo_next(FIXTURE_DATA(call) *self)
{
	return !memcmp(self->next.name, self->present, GLOOM_NAME_SIZE) &&
	       self->next.mode == 0600;
}

static int run_info(FIXTURE_DATA(call) *self)
{
	return get_info(self->filter, self->flags, &self->info);
}

static bool undo_info(FIXTURE_DATA(call) *self)
{
	return self->info.nr_blocks == 64 && self->info.adds == 2 &&
	       (self->info.bits_set > 0) == !!self->flags;
}

/* Both keys that are there are found, this one is new. */
static int run_key(FIXTURE_DATA(call) *self, unsigned int cmd, __u32 len)
{
	if (self->hash == GLOOM_HASH_XXH64)
		self->result = key_ioctl(self->filter, cmd, 0,
					 (uintptr_t)self->key, len);
	else
		self->result = key_ioctl(self->filter, cmd, GLOOM_KEYS_HASHED,
					 mixed(2), 0);
	return self->result < 0 ? self->result : 0;
}

static int run_add(FIXTURE_DATA(call) *self)
{
	return run_key(self, GLOOM_IOC_ADD, 8);
}

static int run_add_long(FIXTURE_DATA(call) *self)
{
	return run_key(self, GLOOM_IOC_ADD, GLOOM_KEY_MAX);
}

static int run_test(FIXTURE_DATA(call) *self)
{
	return run_key(self, GLOOM_IOC_TEST, 8);
}

static int run_test_long(FIXTURE_DATA(call) *self)
{
	return run_key(self, GLOOM_IOC_TEST, GLOOM_KEY_MAX);
}

static bool undo_add(FIXTURE_DATA(call) *self)
{
	struct gloom_info info = snapshot(self->filter);

	return self->result == 1 && info.adds == 3 && info.adds_new == 3;
}

static bool undo_test(FIXTURE_DATA(call) *self)
{
	struct gloom_info info = snapshot(self->filter);

	return self->result == 0 && info.tests == 1 && info.positives == 0;
}

FIXTURE_VARIANT(call)
{
	call_fn *run;
	undo_fn *undo;
	/* Whether ENOMEM is documented, and so to be seen. */
	bool allocates;
	/* No other filter is there. */
	bool alone;
	__u32 hash;
	__u64 nr_blocks;
	__u32 flags;
};

FIXTURE_VARIANT_ADD(call, query) {
	.run = run_query,
	.undo = undo_query,
};

FIXTURE_VARIANT_ADD(call, create) {
	.run = run_create,
	.undo = undo_create,
	.allocates = true,
	.nr_blocks = 1,
};

FIXTURE_VARIANT_ADD(call, create_named) {
	.run = run_create_named,
	.undo = undo_create,
	.allocates = true,
	.nr_blocks = 1,
};

/* The mount of the filesystem is made as well. */
FIXTURE_VARIANT_ADD(call, create_first) {
	.run = run_create,
	.undo = undo_create,
	.allocates = true,
	.alone = true,
	.nr_blocks = 1,
};

FIXTURE_VARIANT_ADD(call, create_first_named) {
	.run = run_create_named,
	.undo = undo_create,
	.allocates = true,
	.alone = true,
	.nr_blocks = 1,
};

/* 2 MiB and a page: huge pages if there are any, and others. */
FIXTURE_VARIANT_ADD(call, create_huge) {
	.run = run_create,
	.undo = undo_create,
	.allocates = true,
	.nr_blocks = 32768 + 64,
};

FIXTURE_VARIANT_ADD(call, create_on_node) {
	.run = run_create_named,
	.undo = undo_create,
	.allocates = true,
	.nr_blocks = 1024,
	.flags = GLOOM_CREATE_NODE,
};

FIXTURE_VARIANT_ADD(call, open_read) {
	.run = run_open,
	.undo = undo_open,
	.allocates = true,
	.flags = GLOOM_OPEN_READ,
};

FIXTURE_VARIANT_ADD(call, open_both) {
	.run = run_open,
	.undo = undo_open,
	.allocates = true,
	.flags = GLOOM_OPEN_READ | GLOOM_OPEN_WRITE,
};

FIXTURE_VARIANT_ADD(call, unlink) {
	.run = run_unlink,
	.undo = undo_unlink,
};

FIXTURE_VARIANT_ADD(call, next) {
	.run = run_next,
	.undo = undo_next,
};

FIXTURE_VARIANT_ADD(call, info) {
	.run = run_info,
	.undo = undo_info,
};

FIXTURE_VARIANT_ADD(call, info_bits) {
	.run = run_info,
	.undo = undo_info,
	.flags = GLOOM_INFO_BITS_SET,
};

FIXTURE_VARIANT_ADD(call, add) {
	.run = run_add,
	.undo = undo_add,
	.hash = GLOOM_HASH_XXH64,
};

FIXTURE_VARIANT_ADD(call, add_long) {
	.run = run_add_long,
	.undo = undo_add,
	.allocates = true,
	.hash = GLOOM_HASH_XXH64,
};

FIXTURE_VARIANT_ADD(call, add_hash) {
	.run = run_add,
	.undo = undo_add,
	.hash = GLOOM_HASH_XXH3,
};

FIXTURE_VARIANT_ADD(call, test) {
	.run = run_test,
	.undo = undo_test,
	.hash = GLOOM_HASH_XXH64,
};

FIXTURE_VARIANT_ADD(call, test_long) {
	.run = run_test_long,
	.undo = undo_test,
	.allocates = true,
	.hash = GLOOM_HASH_XXH64,
};

FIXTURE_VARIANT_ADD(call, test_hash) {
	.run = run_test,
	.undo = undo_test,
	.hash = GLOOM_HASH_PREHASHED,
};

FIXTURE_SETUP(call)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	ASSERT_TRUE(open_faults());
	self->nr_blocks = variant->nr_blocks;
	self->flags = variant->flags;
	self->hash = variant->hash ? variant->hash : GLOOM_HASH_XXH64;
	memset(self->key, 'k', sizeof(self->key));
	/* Longer than a dentry has room for. */
	unique_name(self->present, "present.and.too.long.to.be.inline");
	unique_name(self->absent, "absent.and.too.long.to.be.inline");
}

FIXTURE_TEARDOWN(call)
{
	close(self->dev);
}

/* A filter with a name and two keys, the same each time. */
static bool make_filter(FIXTURE_DATA(call) *self)
{
	struct gloom_create c = create_args();
	int i;

	c.hash = self->hash;
	set_name(c.name, self->present);
	self->filter = create(self->dev, &c);
	for (i = 0; i < 2; i++) {
		__u64 key = mixed(i);

		if (self->hash == GLOOM_HASH_XXH64 ?
		    add(self->filter, &key, sizeof(key)) != 1 :
		    add_hash(self->filter, key) != 1)
			return false;
	}
	return true;
}

/* How often calls of a walk ended in which way. */
struct outcomes {
	unsigned int faults, enomem, efault, coped;
};

/* One round with the @nth of it failing. Whether something failed. */
static bool round_of(struct __test_metadata *_metadata,
		     FIXTURE_DATA(call) *self,
		     const FIXTURE_VARIANT(call) *variant, unsigned int nth,
		     struct outcomes *o)
{
	struct state before, after;
	bool failed;
	int ret;

	self->filter = -1;
	if (!variant->alone)
		ASSERT_TRUE(make_filter(self));
	take_state(&before, self->dev, self->filter);

	arm(nth);
	ret = variant->run(self);
	failed = disarm();

	o->faults += failed;
	o->enomem += ret == -ENOMEM;
	o->efault += ret == -EFAULT;
	o->coped += failed && !ret;
	if (ret) {
		ASSERT_TRUE(failed);
		ASSERT_TRUE(ret == -EFAULT ||
			    (ret == -ENOMEM && variant->allocates)) {
			TH_LOG("fault %u: %s", nth, strerror(-ret));
		}
		take_state(&after, self->dev, self->filter);
		ASSERT_EQ(0, memcmp(&before, &after, sizeof(after))) {
			TH_LOG("something changed at fault %u", nth);
		}
		ASSERT_EQ(0, variant->run(self));
	}
	ASSERT_TRUE(variant->undo(self)) {
		TH_LOG("done wrongly after fault %u", nth);
	}
	if (self->filter >= 0) {
		unlink_name(self->dev, self->present);
		close(self->filter);
	}
	return failed;
}

TEST_F_TIMEOUT(call, walk, 120)
{
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
	TH_LOG("%u faults: %u ENOMEM, %u EFAULT, %u coped with", o.faults,
	       o.enomem, o.efault, o.coped);
	EXPECT_LT(0, o.efault);
	EXPECT_EQ(variant->allocates, o.enomem > 0);
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
