// SPDX-License-Identifier: GPL-2.0
/* Bad pointers: as the argument, and in every member that is a pointer. */

#include "commands.h"

/* Where no program has memory. */
static const __u64 bad_pointers[] = {
	0, 1, 4095,
	0x0000800000000000ULL,	/* behind user memory */
	0x8000000000000000ULL,	/* not canonical */
	0xffff888000000000ULL,	/* kernel memory: all RAM */
	0xffffffff81000000ULL,	/* kernel memory: code */
	0xffffffffffffffffULL,
};

#define for_each_bad(p)							\
	for (p = bad_pointers;						\
	     p < bad_pointers + ARRAY_SIZE(bad_pointers); p++)

FIXTURE(pointer)
{
	int dev;
	int fd;
	__u8 *data;		/* a page, followed by no memory */
	__u8 *read_only;	/* a page of zeroes */
	struct gloom_info before;
};

FIXTURE_SETUP(pointer)
{
	self->dev = open_device();
	self->fd = create_filter(self->dev, GLOOM_HASH_XXH64, 64, 7);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(1, add(self->fd, "present", 7));
	self->data = guarded(page_size());
	self->read_only = mmap(NULL, page_size(), PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(self->read_only != MAP_FAILED);
	self->before = snapshot(self->fd);
}

FIXTURE_TEARDOWN(pointer)
{
	close(self->fd);
	close(self->dev);
}

TEST_F(command, argument_bad)
{
	struct gloom_info before = snapshot(self->filter);
	const __u64 *p;

	for_each_bad(p) {
		EXPECT_EQ(-EFAULT, call(self, variant, (void *)(uintptr_t)*p)) {
			TH_LOG("pointer %#llx", *p);
		}
	}
	/* Unmapped, if there is anything there at all. */
	EXPECT_EQ(-EFAULT, call(self, variant,
				(__u8 *)self->arg + 2 * page_size()));
	EXPECT_UNCHANGED(before, self->filter);
}

/* Whatever part of the argument is missing. */
TEST_F(command, argument_cut)
{
	struct gloom_info before = snapshot(self->filter);
	__u8 *end = (__u8 *)self->arg + 2 * page_size();
	union argument valid;
	size_t there;

	fill(self, variant, &valid);
	for (there = 0; there < variant->size; there++) {
		memcpy(end - there, &valid, there);
		EXPECT_EQ(-EFAULT, call(self, variant, end - there)) {
			TH_LOG("%zu bytes there", there);
		}
		EXPECT_EQ(0, memcmp(end - there, &valid, there));
	}
	EXPECT_UNCHANGED(before, self->filter);

	memcpy(end - there, &valid, there);
	EXPECT_EQ(variant->expected, call(self, variant, end - there));
}

TEST_F(command, tail_cut)
{
	__u8 *end = (__u8 *)self->arg + 2 * page_size();
	union argument *arg = (void *)(end - variant->size - 8);

	memset(arg, 0, variant->size + 8);
	fill(self, variant, arg);
	arg->size = variant->size + 16;
	EXPECT_EQ(-EFAULT, call(self, variant, arg));
	arg->size = variant->size + 8;
	EXPECT_EQ(variant->expected, call(self, variant, arg));
}

/* The argument can be read, but results cannot be written. */
TEST_F(command, argument_read_only)
{
	struct gloom_info before = snapshot(self->filter);
	union argument copy;
	int expected = variant->expected ?: -EFAULT;

	fill(self, variant, self->arg);
	memcpy(&copy, self->arg, variant->size);
	ASSERT_EQ(0, mprotect(self->arg, page_size(), PROT_READ));
	EXPECT_EQ(expected, call(self, variant, self->arg));
	EXPECT_EQ(0, memcmp(&copy, self->arg, variant->size));
	EXPECT_UNCHANGED(before, self->filter);
}

TEST_F(pointer, create_read_only)
{
	struct gloom_query before = usage();
	struct gloom_create c = create_args();
	struct gloom_create *arg = (void *)self->data;
	int lowest = lowest_fd();

	unique_name(c.name, "ro");
	*arg = c;
	ASSERT_EQ(0, mprotect(self->data, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, xioctl(self->dev, GLOOM_IOC_CREATE, arg));
	EXPECT_EQ(-ENOENT, open_named(self->dev, c.name, GLOOM_OPEN_READ));
	EXPECT_EQ(lowest, lowest_fd());
	EXPECT_TRUE(usage_is(&before));
}

TEST_F(pointer, open_read_only)
{
	struct gloom_open *arg = (void *)self->data;
	int lowest;

	arg->size = sizeof(*arg);
	arg->flags = GLOOM_OPEN_READ;
	unique_name(arg->name, "ro");
	close(create_named(self->dev, arg->name, 0600));
	lowest = lowest_fd();
	ASSERT_EQ(0, mprotect(self->data, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, xioctl(self->dev, GLOOM_IOC_OPEN, arg));
	EXPECT_EQ(lowest, lowest_fd());
	EXPECT_EQ(0, unlink_name(self->dev, arg->name));
}

/* A new key: the call may not have done its work before it fails. */
TEST_F(pointer, add_read_only)
{
	struct gloom_key *arg = (void *)self->data;

	arg->size = sizeof(*arg);
	arg->key = (uintptr_t)"new";
	arg->len = 3;
	ASSERT_EQ(0, mprotect(self->data, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, xioctl(self->fd, GLOOM_IOC_ADD, arg));
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, batch_read_only)
{
	struct gloom_batch *arg = (void *)self->data;

	*arg = batch_args(GLOOM_OP_ADD, "new", 3, 1, NULL);
	ASSERT_EQ(0, mprotect(self->data, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, xioctl(self->fd, GLOOM_IOC_BATCH, arg));
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, key_bad)
{
	static const __u32 lens[] = { 1, 8, 255, 256, 257, 4096 };
	const __u64 *p;
	size_t l;

	for_each_bad(p) {
		for (l = 0; l < ARRAY_SIZE(lens); l++) {
			EXPECT_EQ(-EFAULT, key_ioctl(self->fd, GLOOM_IOC_ADD,
						     0, *p, lens[l]));
			EXPECT_EQ(-EFAULT, key_ioctl(self->fd, GLOOM_IOC_TEST,
						     0, *p, lens[l]));
		}
	}
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, key_cut)
{
	static const __u32 lens[] = { 1, 2, 8, 9, 255, 256, 257, 2000, 4096 };
	__u8 *end = self->data + page_size();
	__u32 l, cut;

	for (l = 0; l < ARRAY_SIZE(lens); l++) {
		for (cut = 1; cut < lens[l]; cut = cut * 3) {
			EXPECT_EQ(-EFAULT, add(self->fd, end - lens[l] + cut,
					       lens[l]));
			EXPECT_EQ(-EFAULT, test(self->fd, end - lens[l] + cut,
						lens[l]));
		}
	}
	EXPECT_UNCHANGED(self->before, self->fd);
	EXPECT_EQ(1, add(self->fd, end - 4096, 4096));
}

TEST_F(pointer, key_read_only)
{
	EXPECT_EQ(0, test(self->fd, self->read_only, 100));
	EXPECT_EQ(1, add(self->fd, self->read_only, 100));
	EXPECT_EQ(1, test(self->fd, self->read_only, 100));
}

TEST_F(pointer, batch_keys_bad)
{
	struct gloom_batch b;
	const __u64 *p;
	__u32 op;

	for_each_bad(p) {
		for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
			b = batch_args(op, NULL, 8, 100, NULL);
			b.keys = *p;
			EXPECT_EQ(-EFAULT, batch(self->fd, &b));
			b = batch_args(op, NULL, 4096, 100, NULL);
			b.keys = *p;
			EXPECT_EQ(-EFAULT, batch(self->fd, &b));
		}
	}
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, batch_lens_bad)
{
	struct gloom_batch b;
	const __u64 *p;
	__u32 op;

	for_each_bad(p) {
		/* No lengths at all is another matter. */
		if (!*p)
			continue;
		for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
			b = lens_args(op, self->data, page_size(), NULL, 100,
				      NULL);
			b.lens = *p;
			EXPECT_EQ(-EFAULT, batch(self->fd, &b));
		}
	}
	EXPECT_UNCHANGED(self->before, self->fd);
}

/* Keys given by length are read from where the lengths say. */
TEST_F(pointer, batch_blob_bad)
{
	static const __u32 lens[] = { 1, 2, 3 };
	struct gloom_batch b;
	const __u64 *p;

	for_each_bad(p) {
		b = lens_args(GLOOM_OP_ADD, NULL, 6, lens, 3, NULL);
		b.keys = *p;
		EXPECT_EQ(-EFAULT, batch(self->fd, &b));
	}
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, batch_results_bad)
{
	struct gloom_batch b;
	const __u64 *p;
	__u32 op;

	for_each_bad(p) {
		/* NULL means that no results are wanted. */
		if (!*p)
			continue;
		for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
			b = batch_args(op, self->data, 8, 100, NULL);
			b.results = *p;
			EXPECT_EQ(-EFAULT, batch(self->fd, &b));
		}
	}
	EXPECT_UNCHANGED(self->before, self->fd);
}

TEST_F(pointer, batch_results_read_only)
{
	struct gloom_batch b;
	__u32 op;

	for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++) {
		b = batch_args(op, self->data, 8, 100, self->read_only);
		EXPECT_EQ(-EFAULT, batch(self->fd, &b));
	}
	EXPECT_UNCHANGED(self->before, self->fd);
	EXPECT_EQ(0, self->read_only[0]);
}

TEST_F(pointer, batch_keys_read_only)
{
	struct gloom_batch b;

	b = batch_args(GLOOM_OP_ADD, self->read_only, 8, 100, NULL);
	EXPECT_EQ(0, batch(self->fd, &b));
	EXPECT_EQ(100, b.nr_done);
	EXPECT_EQ(1, b.nr_positive);
}

GLOOM_TEST_MAIN
