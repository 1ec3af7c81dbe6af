// SPDX-License-Identifier: GPL-2.0
/* The shape of the ABI: layouts, sizes, flags, reserved members, numbers. */

#include "commands.h"

#define FIELD(type, member, offset, size)				\
	do {								\
		EXPECT_EQ(offset, offsetof(struct type, member));	\
		EXPECT_EQ(size, sizeof(((struct type *)NULL)->member));	\
	} while (0)

TEST(query_layout)
{
	EXPECT_EQ(64, sizeof(struct gloom_query));
	FIELD(gloom_query, size, 0, 4);
	FIELD(gloom_query, flags, 4, 4);
	FIELD(gloom_query, abi, 8, 4);
	FIELD(gloom_query, key_max, 12, 4);
	FIELD(gloom_query, features, 16, 8);
	FIELD(gloom_query, hashes, 24, 4);
	FIELD(gloom_query, layouts, 28, 4);
	FIELD(gloom_query, max_filter_bytes, 32, 8);
	FIELD(gloom_query, max_total_bytes, 40, 8);
	FIELD(gloom_query, total_bytes, 48, 8);
	FIELD(gloom_query, max_filters, 56, 4);
	FIELD(gloom_query, nr_filters, 60, 4);
}

TEST(create_layout)
{
	EXPECT_EQ(128, sizeof(struct gloom_create));
	FIELD(gloom_create, size, 0, 4);
	FIELD(gloom_create, flags, 4, 4);
	FIELD(gloom_create, nr_blocks, 8, 8);
	FIELD(gloom_create, k, 16, 4);
	FIELD(gloom_create, hash, 20, 4);
	FIELD(gloom_create, layout, 24, 4);
	FIELD(gloom_create, mode, 28, 4);
	FIELD(gloom_create, seed, 32, 8);
	FIELD(gloom_create, capacity, 40, 8);
	FIELD(gloom_create, fpr, 48, 8);
	FIELD(gloom_create, node, 56, 4);
	FIELD(gloom_create, fd, 60, 4);
	FIELD(gloom_create, name, 64, 64);
}

TEST(names_layout)
{
	EXPECT_EQ(80, sizeof(struct gloom_open));
	FIELD(gloom_open, size, 0, 4);
	FIELD(gloom_open, flags, 4, 4);
	FIELD(gloom_open, reserved, 8, 4);
	FIELD(gloom_open, fd, 12, 4);
	FIELD(gloom_open, name, 16, 64);

	EXPECT_EQ(72, sizeof(struct gloom_unlink));
	FIELD(gloom_unlink, size, 0, 4);
	FIELD(gloom_unlink, flags, 4, 4);
	FIELD(gloom_unlink, name, 8, 64);

	EXPECT_EQ(96, sizeof(struct gloom_next));
	FIELD(gloom_next, size, 0, 4);
	FIELD(gloom_next, flags, 4, 4);
	FIELD(gloom_next, name, 8, 64);
	FIELD(gloom_next, bytes, 72, 8);
	FIELD(gloom_next, uid, 80, 4);
	FIELD(gloom_next, gid, 84, 4);
	FIELD(gloom_next, mode, 88, 4);
	FIELD(gloom_next, reserved, 92, 4);
}

TEST(info_layout)
{
	EXPECT_EQ(192, sizeof(struct gloom_info));
	FIELD(gloom_info, size, 0, 4);
	FIELD(gloom_info, flags, 4, 4);
	FIELD(gloom_info, valid, 8, 4);
	FIELD(gloom_info, k, 12, 4);
	FIELD(gloom_info, nr_blocks, 16, 8);
	FIELD(gloom_info, hash, 24, 4);
	FIELD(gloom_info, layout, 28, 4);
	FIELD(gloom_info, seed, 32, 8);
	FIELD(gloom_info, capacity, 40, 8);
	FIELD(gloom_info, fpr, 48, 8);
	FIELD(gloom_info, bytes, 56, 8);
	FIELD(gloom_info, generation, 64, 8);
	FIELD(gloom_info, id, 72, 8);
	FIELD(gloom_info, adds, 80, 8);
	FIELD(gloom_info, adds_new, 88, 8);
	FIELD(gloom_info, tests, 96, 8);
	FIELD(gloom_info, positives, 104, 8);
	FIELD(gloom_info, bits_set, 112, 8);
	FIELD(gloom_info, node, 120, 4);
	FIELD(gloom_info, reserved, 124, 4);
	FIELD(gloom_info, name, 128, 64);
}

TEST(keys_layout)
{
	EXPECT_EQ(24, sizeof(struct gloom_key));
	FIELD(gloom_key, size, 0, 4);
	FIELD(gloom_key, flags, 4, 4);
	FIELD(gloom_key, key, 8, 8);
	FIELD(gloom_key, len, 16, 4);
	FIELD(gloom_key, result, 20, 4);

	EXPECT_EQ(64, sizeof(struct gloom_batch));
	FIELD(gloom_batch, size, 0, 4);
	FIELD(gloom_batch, flags, 4, 4);
	FIELD(gloom_batch, op, 8, 4);
	FIELD(gloom_batch, key_size, 12, 4);
	FIELD(gloom_batch, nr_keys, 16, 4);
	FIELD(gloom_batch, nr_done, 20, 4);
	FIELD(gloom_batch, nr_positive, 24, 4);
	FIELD(gloom_batch, reserved, 28, 4);
	FIELD(gloom_batch, keys, 32, 8);
	FIELD(gloom_batch, keys_size, 40, 8);
	FIELD(gloom_batch, lens, 48, 8);
	FIELD(gloom_batch, results, 56, 8);
}

TEST(command_values)
{
	EXPECT_EQ(0xbd00, GLOOM_IOC_QUERY);
	EXPECT_EQ(0xbd01, GLOOM_IOC_CREATE);
	EXPECT_EQ(0xbd02, GLOOM_IOC_OPEN);
	EXPECT_EQ(0xbd03, GLOOM_IOC_UNLINK);
	EXPECT_EQ(0xbd04, GLOOM_IOC_NEXT);
	EXPECT_EQ(0xbd20, GLOOM_IOC_INFO);
	EXPECT_EQ(0xbd21, GLOOM_IOC_ADD);
	EXPECT_EQ(0xbd22, GLOOM_IOC_TEST);
	EXPECT_EQ(0xbd23, GLOOM_IOC_BATCH);
}

TEST(query_values)
{
	struct gloom_query q, again;
	int dev = open_device();

	ASSERT_EQ(0, query(dev, &q));
	EXPECT_EQ(64, q.size);
	EXPECT_EQ(0, q.flags);
	EXPECT_EQ(1, q.abi);
	EXPECT_EQ(4096, q.key_max);
	EXPECT_EQ(0, q.features);
	EXPECT_EQ(1 << 1 | 1 << 2 | 1 << 3, q.hashes);
	EXPECT_EQ(1 << 1, q.layouts);
	EXPECT_LT(0, q.max_filter_bytes);
	EXPECT_LE(q.max_filter_bytes, q.max_total_bytes);
	EXPECT_LE(q.total_bytes, q.max_total_bytes);
	EXPECT_LT(0, q.max_filters);
	EXPECT_LE(q.nr_filters, q.max_filters);

	ASSERT_EQ(0, query(dev, &again));
	EXPECT_EQ(0, memcmp(&q, &again, sizeof(q)));
	close(dev);
}

/* Sizes from none to above a page, with zeroes behind what is known. */
TEST_F(command, sizes)
{
	size_t page = page_size();
	void *before = malloc(2 * page);
	size_t size;
	int expected;

	memset(self->arg, 0, 2 * page);
	for (size = 0; size <= page + 1; size++) {
		fill(self, variant, self->arg);
		self->arg->size = size;
		memcpy(before, self->arg, 2 * page);
		expected = size < variant->size ? -EINVAL :
			   size > page ? -E2BIG : variant->expected;
		EXPECT_EQ(expected, call(self, variant, self->arg)) {
			TH_LOG("size %zu", size);
		}
		if (expected)
			EXPECT_EQ(0, memcmp(before, self->arg, 2 * page));
		EXPECT_EQ(size, self->arg->size);
	}
	free(before);
}

TEST_F(command, size_huge)
{
	static const __u32 sizes[] = { 0x10000, 0x7fffffff, 0x80000000,
				       0xffffff00, 0xffffffff };
	size_t i;

	memset(self->arg, 0, 2 * page_size());
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill(self, variant, self->arg);
		self->arg->size = sizes[i];
		EXPECT_EQ(-E2BIG, call(self, variant, self->arg));
	}
}

/* Each byte behind what is known, alone. */
TEST_F(command, tail_garbage)
{
	size_t page = page_size();
	__u8 *bytes = (__u8 *)self->arg;
	size_t i;

	memset(self->arg, 0, 2 * page);
	fill(self, variant, self->arg);
	self->arg->size = page;
	for (i = variant->size; i < page; i++) {
		bytes[i] = 0x80;
		EXPECT_EQ(-E2BIG, call(self, variant, self->arg)) {
			TH_LOG("byte %zu", i);
		}
		bytes[i] = 0;
	}
	/* What is behind the size does not matter. */
	bytes[page] = 0x80;
	EXPECT_EQ(variant->expected, call(self, variant, self->arg));
}

TEST_F(command, tail_untouched)
{
	size_t page = page_size();
	__u8 *bytes = (__u8 *)self->arg;
	size_t i;

	memset(self->arg, 0, page);
	memset(bytes + page, POISON, page);
	fill(self, variant, self->arg);
	self->arg->size = page;
	EXPECT_EQ(variant->expected, call(self, variant, self->arg));
	for (i = variant->size; i < page; i++)
		EXPECT_EQ(0, bytes[i]);
	for (; i < 2 * page; i++)
		EXPECT_EQ(POISON, bytes[i]);
}

TEST_F(command, unknown_flags)
{
	union argument before;
	__u32 bit;
	int i;

	for (i = 0; i < 32; i++) {
		bit = 1U << i;
		if (bit & variant->known_flags)
			continue;
		fill(self, variant, self->arg);
		/* Flags are the second member everywhere. */
		self->arg->query.flags |= bit;
		memcpy(&before, self->arg, variant->size);
		EXPECT_EQ(-EINVAL, call(self, variant, self->arg)) {
			TH_LOG("flag %#x", bit);
		}
		EXPECT_EQ(0, memcmp(&before, self->arg, variant->size));
	}
}

/* The same twice with different poison: no byte is left as it was. */
TEST_F(command, outputs_written)
{
	union argument first;
	__u8 *bytes = (__u8 *)self->arg;
	size_t i, from, to = variant->size;

	switch (variant->cmd) {
	case GLOOM_IOC_QUERY:
		from = offsetof(struct gloom_query, abi);
		break;
	case GLOOM_IOC_NEXT:
		from = offsetof(struct gloom_next, bytes);
		to = offsetof(struct gloom_next, reserved);
		break;
	case GLOOM_IOC_INFO:
		from = offsetof(struct gloom_info, valid);
		break;
	case GLOOM_IOC_ADD:
	case GLOOM_IOC_TEST:
		from = offsetof(struct gloom_key, result);
		break;
	case GLOOM_IOC_BATCH:
		from = offsetof(struct gloom_batch, nr_done);
		to = offsetof(struct gloom_batch, reserved);
		break;
	default:
		/* One output or none, which their own tests check. */
		from = to;
	}
	fill(self, variant, self->arg);
	memset(bytes + from, 0x33, to - from);
	ASSERT_EQ(variant->expected, call(self, variant, self->arg));
	memcpy(&first, self->arg, variant->size);

	fill(self, variant, self->arg);
	memset(bytes + from, POISON, to - from);
	ASSERT_EQ(variant->expected, call(self, variant, self->arg));
	for (i = from; i < to; i++) {
		EXPECT_EQ(((__u8 *)&first)[i], bytes[i]) {
			TH_LOG("byte %zu", i);
		}
	}
}

TEST_F(command, wrong_file)
{
	struct gloom_info before = snapshot(self->filter);
	int fds[2];

	fill(self, variant, self->arg);
	EXPECT_EQ(-ENOTTY, xioctl(variant->on_filter ? self->dev : self->filter,
				  variant->cmd, self->arg));
	ASSERT_EQ(0, pipe(fds));
	EXPECT_EQ(-ENOTTY, xioctl(fds[0], variant->cmd, self->arg));
	EXPECT_UNCHANGED(before, self->filter);
}

TEST(reserved_members)
{
	struct gloom_batch b = batch_args(GLOOM_OP_TEST, "k", 1, 1, NULL);
	struct gloom_open o = { .size = sizeof(o), .flags = GLOOM_OPEN_READ };
	struct gloom_next n = { .size = sizeof(n) };
	int dev = open_device();
	int fd, i;

	unique_name(o.name, "reserved");
	fd = create_named(dev, o.name, 0600);
	ASSERT_LE(0, fd);
	for (i = 0; i < 32; i++) {
		o.reserved = 1U << i;
		o.fd = POISON32;
		EXPECT_EQ(-EINVAL, xioctl(dev, GLOOM_IOC_OPEN, &o));
		EXPECT_EQ(POISON32, o.fd);
		n.reserved = 1U << i;
		EXPECT_EQ(-EINVAL, xioctl(dev, GLOOM_IOC_NEXT, &n));
		EXPECT_EQ(0, n.name[0]);
		b.reserved = 1U << i;
		EXPECT_EQ(-EINVAL, batch(fd, &b));
	}
	EXPECT_EQ(0, snapshot(fd).tests);
	EXPECT_EQ(0, unlink_name(dev, o.name));
}

/* Everything but the known commands is ENOTTY, and does nothing. */
static void check_numbers(struct __test_metadata *_metadata, int fd,
			  unsigned int from, unsigned int to)
{
	static const unsigned int sizes[] = {
		0, 1, 2, 3, 4, 7, 8, 16, 24, 32, 63, 64, 65, 72, 80, 96, 127,
		128, 129, 192, 255, 256, 512, 1024, 2048, 4095, 4096, 4097,
		8191, 8192, 16383,
	};
	static __u64 zeroes[2048];
	unsigned int nr, dir, s, type, cmd;

	for (nr = 0; nr < 256; nr++) {
		for (dir = 0; dir < 4; dir++) {
			for (s = 0; s < ARRAY_SIZE(sizes); s++) {
				if (!dir && !sizes[s] && nr >= from && nr <= to)
					continue;
				cmd = _IOC(dir, GLOOM_IOC_MAGIC, nr, sizes[s]);
				EXPECT_EQ(-ENOTTY, xioctl(fd, cmd, zeroes)) {
					TH_LOG("command %#x", cmd);
				}
			}
		}
		for (type = 0; type < 256; type++) {
			/* The VFS has commands for all files in these. */
			if (type == GLOOM_IOC_MAGIC || type == 0 ||
			    type == 'T' || type == 'X' || type == 'f' ||
			    type == 0x94)
				continue;
			cmd = _IOC(_IOC_NONE, type, nr, 0);
			EXPECT_EQ(-ENOTTY, xioctl(fd, cmd, zeroes)) {
				TH_LOG("command %#x", cmd);
			}
		}
	}
}

TEST(numbers_device)
{
	struct gloom_query before = usage();
	int dev = open_device();

	check_numbers(_metadata, dev, 0x00, 0x04);
	EXPECT_TRUE(usage_is(&before));
}

TEST(numbers_filter)
{
	int dev = open_device();
	int fd = create_filter(dev, GLOOM_HASH_XXH64, 64, 7);
	struct gloom_info before;

	ASSERT_EQ(1, add(fd, "key", 3));
	before = snapshot(fd);
	check_numbers(_metadata, fd, 0x20, 0x23);
	EXPECT_UNCHANGED(before, fd);
}

TEST(files_close_on_exec)
{
	char name[GLOOM_NAME_SIZE];
	int dev = open_device();
	int fd;

	unique_name(name, "cloexec");
	fd = create_named(dev, name, 0600);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(fd, F_GETFL) & O_ACCMODE);
	fd = open_named(dev, name, GLOOM_OPEN_READ);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_RDONLY, fcntl(fd, F_GETFL) & O_ACCMODE);
	fd = open_named(dev, name, GLOOM_OPEN_WRITE);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_WRONLY, fcntl(fd, F_GETFL) & O_ACCMODE);
	EXPECT_EQ(0, unlink_name(dev, name));
}

GLOOM_TEST_MAIN
