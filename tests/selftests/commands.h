/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fixture with one variant for each command, for what holds for all of them.
 *
 * The argument is valid, and the call gets as far as the object it names, but
 * makes and removes nothing: it can be repeated at will.
 */
#ifndef GLOOM_TEST_COMMANDS_H
#define GLOOM_TEST_COMMANDS_H

#include "gloom_test.h"

union argument {
	__u32 size;
	struct gloom_query query;
	struct gloom_create create;
	struct gloom_open open;
	struct gloom_unlink unlink;
	struct gloom_next next;
	struct gloom_info info;
	struct gloom_key key;
	struct gloom_batch batch;
};

FIXTURE(command)
{
	int dev;
	int filter;
	char present[GLOOM_NAME_SIZE];
	char absent[GLOOM_NAME_SIZE];
	__u64 keys[8];
	__u8 results[1];
	/* Two pages, followed by memory that cannot be accessed. */
	union argument *arg;
	struct gloom_query usage;
};

FIXTURE_VARIANT(command)
{
	unsigned int cmd;
	size_t size;
	bool on_filter;
	__u32 known_flags;
	int expected;
};

FIXTURE_VARIANT_ADD(command, query) {
	.cmd = GLOOM_IOC_QUERY,
	.size = sizeof(struct gloom_query),
};

FIXTURE_VARIANT_ADD(command, create) {
	.cmd = GLOOM_IOC_CREATE,
	.size = sizeof(struct gloom_create),
	.known_flags = GLOOM_CREATE_FLAGS,
	.expected = -EEXIST,
};

FIXTURE_VARIANT_ADD(command, open) {
	.cmd = GLOOM_IOC_OPEN,
	.size = sizeof(struct gloom_open),
	.known_flags = GLOOM_OPEN_FLAGS,
	.expected = -ENOENT,
};

FIXTURE_VARIANT_ADD(command, unlink) {
	.cmd = GLOOM_IOC_UNLINK,
	.size = sizeof(struct gloom_unlink),
	.expected = -ENOENT,
};

FIXTURE_VARIANT_ADD(command, next) {
	.cmd = GLOOM_IOC_NEXT,
	.size = sizeof(struct gloom_next),
};

FIXTURE_VARIANT_ADD(command, info) {
	.cmd = GLOOM_IOC_INFO,
	.size = sizeof(struct gloom_info),
	.on_filter = true,
	.known_flags = GLOOM_INFO_FLAGS,
};

FIXTURE_VARIANT_ADD(command, add) {
	.cmd = GLOOM_IOC_ADD,
	.size = sizeof(struct gloom_key),
	.on_filter = true,
	.known_flags = GLOOM_KEYS_FLAGS,
};

FIXTURE_VARIANT_ADD(command, test) {
	.cmd = GLOOM_IOC_TEST,
	.size = sizeof(struct gloom_key),
	.on_filter = true,
	.known_flags = GLOOM_KEYS_FLAGS,
};

FIXTURE_VARIANT_ADD(command, batch) {
	.cmd = GLOOM_IOC_BATCH,
	.size = sizeof(struct gloom_batch),
	.on_filter = true,
	.known_flags = GLOOM_KEYS_FLAGS,
};

FIXTURE_SETUP(command)
{
	__u32 i;

	self->arg = guarded(2 * page_size());
	for (i = 0; i < ARRAY_SIZE(self->keys); i++)
		self->keys[i] = mixed(i);
	unique_name(self->present, "present");
	/* In byte order before the other. */
	unique_name(self->absent, "absent");
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	self->filter = create_named(self->dev, self->present, 0600);
	ASSERT_LE(0, self->filter);
	ASSERT_EQ(1, add(self->filter, self->keys, 8));
	self->usage = usage();
}

FIXTURE_TEARDOWN(command)
{
	struct gloom_query now = usage();

	EXPECT_EQ(self->usage.nr_filters, now.nr_filters);
	EXPECT_EQ(self->usage.total_bytes, now.total_bytes);
	EXPECT_EQ(0, unlink_name(self->dev, self->present));
	close(self->filter);
	close(self->dev);
}

/* A valid argument at @to, as large as the variant's structure. */
static inline void fill(FIXTURE_DATA(command) *self,
			const FIXTURE_VARIANT(command) *variant, void *to)
{
	union argument arg;

	memset(&arg, 0, sizeof(arg));
	switch (variant->cmd) {
	case GLOOM_IOC_QUERY:
		memset(&arg, POISON, sizeof(arg));
		arg.query.flags = 0;
		break;
	case GLOOM_IOC_CREATE:
		arg.create = create_args();
		arg.create.fd = POISON32;
		set_name(arg.create.name, self->present);
		break;
	case GLOOM_IOC_OPEN:
		arg.open.flags = GLOOM_OPEN_READ;
		arg.open.fd = POISON32;
		set_name(arg.open.name, self->absent);
		break;
	case GLOOM_IOC_UNLINK:
		set_name(arg.unlink.name, self->absent);
		break;
	case GLOOM_IOC_NEXT:
		memset(&arg.next, POISON, sizeof(arg.next));
		arg.next.flags = 0;
		arg.next.reserved = 0;
		set_name(arg.next.name, self->absent);
		break;
	case GLOOM_IOC_INFO:
		memset(&arg.info, POISON, sizeof(arg.info));
		arg.info.flags = 0;
		break;
	case GLOOM_IOC_ADD:
	case GLOOM_IOC_TEST:
		arg.key.key = (uintptr_t)self->keys;
		arg.key.len = 8;
		arg.key.result = POISON32;
		break;
	case GLOOM_IOC_BATCH:
		arg.batch = batch_args(GLOOM_OP_TEST, self->keys, 8,
				       ARRAY_SIZE(self->keys), self->results);
		arg.batch.nr_done = POISON32;
		arg.batch.nr_positive = POISON32;
		break;
	}
	arg.size = variant->size;
	memcpy(to, &arg, variant->size);
}

static inline int call(FIXTURE_DATA(command) *self,
		       const FIXTURE_VARIANT(command) *variant, void *arg)
{
	return xioctl(variant->on_filter ? self->filter : self->dev,
		      variant->cmd, arg);
}

#endif /* GLOOM_TEST_COMMANDS_H */
