// SPDX-License-Identifier: GPL-2.0
/* Who may do what: by how a file was opened, by owner, group and mode. */

#include "gloom_test.h"

FIXTURE(perm)
{
	int dev;
	int both;
	int reader;
	int writer;
	int neither;
	char name[GLOOM_NAME_SIZE];
};

/* An open of what @fd is, with other flags. */
static int reopen(int fd, int flags)
{
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = open(path, flags | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

FIXTURE_SETUP(perm)
{
	self->dev = open_device();
	unique_name(self->name, "perm");
	self->both = create_named(self->dev, self->name, 0600);
	ASSERT_LE(0, self->both);
	self->reader = open_named(self->dev, self->name, GLOOM_OPEN_READ);
	self->writer = open_named(self->dev, self->name, GLOOM_OPEN_WRITE);
	/* Access mode 3: needs both permissions, allows neither. */
	self->neither = reopen(self->both, O_ACCMODE);
	ASSERT_LE(0, self->reader);
	ASSERT_LE(0, self->writer);
	ASSERT_LE(0, self->neither);
	ASSERT_EQ(1, add(self->both, "there", 5));
}

FIXTURE_TEARDOWN(perm)
{
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	close(self->neither);
	close(self->writer);
	close(self->reader);
	close(self->both);
	close(self->dev);
}

static int try_batch(int fd, __u32 op, void *results)
{
	struct gloom_batch b = batch_args(op, "key", 3, 1, results);

	return batch(fd, &b);
}

TEST_F(perm, reader)
{
	struct gloom_info before = snapshot(self->both);
	__u8 results[1];

	EXPECT_EQ(-EBADF, add(self->reader, "key", 3));
	EXPECT_EQ(-EBADF, try_batch(self->reader, GLOOM_OP_ADD, results));
	EXPECT_EQ(-EBADF, try_batch(self->reader, GLOOM_OP_ADD, NULL));
	EXPECT_EQ(-EBADF, try_batch(self->reader, GLOOM_OP_TEST_ADD, results));
	EXPECT_EQ(-EBADF, try_batch(self->reader, GLOOM_OP_TEST_ADD, NULL));
	EXPECT_UNCHANGED(before, self->both);
	EXPECT_UNCHANGED(before, self->reader);

	EXPECT_EQ(1, test(self->reader, "there", 5));
	EXPECT_EQ(0, try_batch(self->reader, GLOOM_OP_TEST, results));
	EXPECT_EQ(0, try_batch(self->reader, GLOOM_OP_TEST, NULL));
}

TEST_F(perm, writer)
{
	struct gloom_info before = snapshot(self->both);
	struct gloom_info i;
	__u8 results[1] = { POISON };

	EXPECT_EQ(-EBADF, test(self->writer, "key", 3));
	EXPECT_EQ(-EBADF, try_batch(self->writer, GLOOM_OP_TEST, results));
	EXPECT_EQ(-EBADF, try_batch(self->writer, GLOOM_OP_TEST, NULL));
	EXPECT_EQ(-EBADF, try_batch(self->writer, GLOOM_OP_TEST_ADD, results));
	EXPECT_EQ(-EBADF, try_batch(self->writer, GLOOM_OP_TEST_ADD, NULL));
	EXPECT_EQ(-EBADF, try_batch(self->writer, GLOOM_OP_ADD, results));
	EXPECT_EQ(-EBADF, get_info(self->writer, GLOOM_INFO_BITS_SET, &i));
	EXPECT_EQ(POISON, results[0]);
	EXPECT_UNCHANGED(before, self->both);

	EXPECT_EQ(0, try_batch(self->writer, GLOOM_OP_ADD, NULL));
	EXPECT_EQ(1, test(self->both, "key", 3));
}

TEST_F(perm, neither)
{
	struct gloom_info before = snapshot(self->both);
	struct gloom_info i;
	__u32 op;

	EXPECT_EQ(-EBADF, add(self->neither, "key", 3));
	EXPECT_EQ(-EBADF, test(self->neither, "key", 3));
	for (op = GLOOM_OP_TEST; op <= GLOOM_OP_TEST_ADD; op++)
		EXPECT_EQ(-EBADF, try_batch(self->neither, op, NULL));
	EXPECT_EQ(-EBADF, get_info(self->neither, GLOOM_INFO_BITS_SET, &i));
	EXPECT_UNCHANGED(before, self->both);
	EXPECT_EQ(0, get_info(self->neither, 0, &i));
	EXPECT_EQ(0, i.valid);
}

/* Adding tells a writer nothing, be the keys there or not. */
TEST_F(perm, writer_learns_nothing)
{
	struct gloom_info i;
	struct gloom_batch b;

	EXPECT_EQ(0, add(self->writer, "new", 3));
	EXPECT_EQ(0, add(self->writer, "new", 3));
	b = batch_args(GLOOM_OP_ADD, "another", 7, 1, NULL);
	EXPECT_EQ(0, batch(self->writer, &b));
	EXPECT_EQ(1, b.nr_done);
	EXPECT_EQ(0, b.nr_positive);
	EXPECT_EQ(4, snapshot(self->both).adds);
	EXPECT_EQ(3, snapshot(self->both).adds_new);

	ASSERT_EQ(0, get_info(self->writer, 0, &i));
	EXPECT_EQ(0, i.valid);
	EXPECT_EQ(0, i.seed);
	EXPECT_EQ(0, i.adds);
	EXPECT_EQ(0, i.adds_new);
	EXPECT_EQ(0, i.tests);
	EXPECT_EQ(0, i.positives);
	EXPECT_EQ(0, i.bits_set);
	EXPECT_EQ(64, i.nr_blocks);
}

/* Who must hash to add needs the seed to do it. */
TEST_F(perm, writer_seed)
{
	struct gloom_create c = create_args();
	struct gloom_info i;
	int fd;

	for (c.hash = GLOOM_HASH_XXH3; c.hash <= GLOOM_HASH_PREHASHED;
	     c.hash++) {
		fd = create(self->dev, &c);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, get_info(reopen(fd, O_WRONLY), 0, &i));
		EXPECT_EQ(GLOOM_INFO_SEED, i.valid);
		EXPECT_EQ(c.seed, i.seed);
		EXPECT_EQ(0, i.adds);
	}
}

/* ---- Other users ---------------------------------------------------- */

struct try {
	int dev;
	const char *name;
	__u32 flags;
};

static int try_open(void *arg)
{
	struct try *t = arg;
	int ret = open_named(t->dev, t->name, t->flags);

	return ret < 0 ? ret : 0;
}

static int try_unlink(void *arg)
{
	struct try *t = arg;

	return unlink_name(t->dev, t->name);
}

/* What open(2) would say, for owner, group and others, in every mode. */
TEST_F(perm, modes)
{
	static const __u32 modes[] = { 0000, 0200, 0222, 0400, 0444, 0600, 0602,
				       0620, 0604, 0640, 0644, 0660, 0066, 0006,
				       0666 };
	static const struct {
		uid_t uid;
		gid_t gid;
		int shift;
	} users[] = {
		{ ALICE, ALICE, 6 },
		{ ALICE, 50, 6 },	/* the owner is the owner first */
		{ BOB, ALICE, 3 },
		{ BOB, BOB, 0 },
	};
	struct try t = { .dev = self->dev, .name = self->name };
	int expected;
	size_t m, u;

	ASSERT_EQ(0, fchown(self->both, ALICE, ALICE));
	for (m = 0; m < ARRAY_SIZE(modes); m++) {
		ASSERT_EQ(0, fchmod(self->both, modes[m]));
		for (u = 0; u < ARRAY_SIZE(users); u++) {
			for (t.flags = 1; t.flags <= 3; t.flags++) {
				__u32 has = modes[m] >> users[u].shift;
				/* Mode bits: read 4, write 2. */
				__u32 need = (t.flags & GLOOM_OPEN_READ) * 4 |
					     (t.flags & GLOOM_OPEN_WRITE);

				expected = need & ~has ? -EACCES : 0;
				EXPECT_EQ(expected,
					  run_as(users[u].uid, users[u].gid,
						 try_open, &t)) {
					TH_LOG("mode %o user %zu flags %u",
					       modes[m], u, t.flags);
				}
			}
		}
	}
}

TEST_F(perm, root_overrides)
{
	struct try t = { .dev = self->dev, .name = self->name, .flags = 3 };

	ASSERT_EQ(0, fchown(self->both, ALICE, ALICE));
	ASSERT_EQ(0, fchmod(self->both, 0));
	EXPECT_EQ(0, try_open(&t));
	/* It is the capability, not the number. */
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_open, &t));
}

/* A supplementary group counts. */
static int groups_open(void *arg)
{
	gid_t group = BOB;

	if (setgroups(1, &group) || setresgid(50, 50, 50) ||
	    setresuid(ALICE, ALICE, ALICE))
		return -EPERM;
	return try_open(arg);
}

TEST_F(perm, groups)
{
	struct try t = { .dev = self->dev, .name = self->name, .flags = 3 };

	ASSERT_EQ(0, fchown(self->both, 0, BOB));
	ASSERT_EQ(0, fchmod(self->both, 0660));
	EXPECT_EQ(0, run_as(0, 0, groups_open, &t));
	ASSERT_EQ(0, fchmod(self->both, 0606));
	EXPECT_EQ(-EACCES, run_as(0, 0, groups_open, &t));
}

TEST_F(perm, unlink_needs_write)
{
	struct try t = { .dev = self->dev, .name = self->name };

	ASSERT_EQ(0, fchmod(self->both, 0604));
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_unlink, &t));
	EXPECT_EQ(0, open_named(self->dev, self->name, 1) < 0);
	ASSERT_EQ(0, fchmod(self->both, 0602));
	EXPECT_EQ(0, run_as(ALICE, ALICE, try_unlink, &t));
	EXPECT_EQ(-ENOENT, open_named(self->dev, self->name, 1));
	/* For the teardown. */
	ASSERT_LE(0, create_named(self->dev, self->name, 0600));
}

struct change {
	int fd;
	int (*change)(int fd);
};

static int try_change(void *arg)
{
	struct change *c = arg;

	return c->change(c->fd) ? -errno : 0;
}

static int chmod_0666(int fd)
{
	return fchmod(fd, 0666);
}

static int chown_bob(int fd)
{
	return fchown(fd, BOB, -1);
}

static int chgrp_own(int fd)
{
	return fchown(fd, -1, ALICE);
}

TEST_F(perm, change_by_owner)
{
	struct change c = { .fd = self->both };
	struct stat st;

	ASSERT_EQ(0, fchown(self->both, ALICE, 0));
	c.change = chmod_0666;
	EXPECT_EQ(0, run_as(ALICE, ALICE, try_change, &c));
	c.change = chgrp_own;
	EXPECT_EQ(0, run_as(ALICE, ALICE, try_change, &c));
	c.change = chown_bob;
	EXPECT_EQ(-EPERM, run_as(ALICE, ALICE, try_change, &c));
	ASSERT_EQ(0, fstat(self->reader, &st));
	EXPECT_EQ(S_IFREG | 0666, st.st_mode);
	EXPECT_EQ(ALICE, st.st_uid);
	EXPECT_EQ(ALICE, st.st_gid);
}

/* To have it open for writing is not to own it. */
TEST_F(perm, change_by_others)
{
	struct change c = { .fd = self->both };
	struct stat before, after;

	ASSERT_EQ(0, fchown(self->both, ALICE, ALICE));
	ASSERT_EQ(0, fstat(self->both, &before));
	c.change = chmod_0666;
	EXPECT_EQ(-EPERM, run_as(BOB, ALICE, try_change, &c));
	c.change = chown_bob;
	EXPECT_EQ(-EPERM, run_as(BOB, ALICE, try_change, &c));
	ASSERT_EQ(0, fstat(self->both, &after));
	EXPECT_EQ(before.st_mode, after.st_mode);
	EXPECT_EQ(before.st_uid, after.st_uid);
}

static int create_as_user(void *arg)
{
	struct try *t = arg;
	struct stat st;
	int fd = create_named(t->dev, t->name, 0400);

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || st.st_uid != ALICE || st.st_gid != BOB)
		return -EIO;
	/* Its own mode does not bind the file that made it. */
	return add(fd, "key", 3) == 1 && test(fd, "key", 3) == 1 ? 0 : -EBADF;
}

TEST_F(perm, create_owner)
{
	struct try t = { .dev = self->dev };
	struct gloom_next n = { };
	char name[GLOOM_NAME_SIZE];

	unique_name(name, "alice");
	t.name = name;
	EXPECT_EQ(0, run_as(ALICE, BOB, create_as_user, &t));
	while (!next_name(self->dev, &n) && strcmp(n.name, name))
		;
	EXPECT_STREQ(name, n.name);
	EXPECT_EQ(ALICE, n.uid);
	EXPECT_EQ(BOB, n.gid);
	EXPECT_EQ(0400, n.mode);
	/* She may not write it, so not unlink it either. */
	EXPECT_EQ(-EACCES, run_as(ALICE, BOB, try_unlink, &t));
	EXPECT_EQ(0, unlink_name(self->dev, name));
}

static int try_device(void *arg)
{
	int dev = open_device();

	return dev < 0 ? -errno : 0;
}

/* The node is for its owner and group, and not for everybody. */
TEST(device_mode)
{
	struct stat st;

	ASSERT_EQ(0, stat("/dev/gloom", &st));
	EXPECT_EQ(S_IFCHR | 0660, st.st_mode);
	EXPECT_EQ(0, run_as(ALICE, st.st_gid, try_device, NULL));
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_device, NULL));
}

struct again {
	int fd;
	int flags;
};

static int try_reopen(void *arg)
{
	struct again *a = arg;
	int ret = reopen(a->fd, a->flags);

	return ret < 0 ? ret : 0;
}

/* A file that was passed on does not become more by /proc. */
TEST_F(perm, reopen)
{
	struct again a = { .fd = self->reader };

	ASSERT_EQ(0, fchown(self->both, 0, 0));
	ASSERT_EQ(0, fchmod(self->both, 0604));
	a.flags = O_RDONLY;
	EXPECT_EQ(0, run_as(ALICE, ALICE, try_reopen, &a));
	a.flags = O_WRONLY;
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_reopen, &a));
	a.flags = O_RDWR;
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_reopen, &a));
	a.flags = O_RDONLY | O_TRUNC;
	EXPECT_EQ(-EACCES, run_as(ALICE, ALICE, try_reopen, &a));
	EXPECT_EQ(1, test(reopen(self->writer, O_RDONLY), "there", 5));
}

/* A file without read or write permission on the filter keeps what it had. */
TEST_F(perm, open_files_keep)
{
	ASSERT_EQ(0, fchmod(self->both, 0));
	EXPECT_EQ(1, test(self->reader, "there", 5));
	EXPECT_EQ(0, add(self->writer, "more", 4));
	EXPECT_EQ(1, test(self->reader, "more", 4));
}

/* It looks like a file, but has only ioctls. */
TEST_F(perm, no_file_io)
{
	struct gloom_info before = snapshot(self->both);
	struct stat was, is;
	char byte = 'x';
	char path[32];

	ASSERT_EQ(0, fstat(self->both, &was));
	EXPECT_EQ(-1, read(self->both, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->both, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, pwrite(self->both, &byte, 1, 0));
	EXPECT_EQ(-1, lseek(self->both, 0, SEEK_END));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_TRUE(mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->both, 0) ==
		    MAP_FAILED);
	EXPECT_TRUE(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->both, 0) == MAP_FAILED);
	EXPECT_EQ(-1, ftruncate(self->both, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ftruncate(self->both, 1 << 20));
	EXPECT_EQ(-1, fallocate(self->both, 0, 0, 1 << 20));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->both);
	EXPECT_EQ(-1, truncate(path, 0));
	EXPECT_EQ(-EINVAL, reopen(self->both, O_RDWR | O_TRUNC));
	EXPECT_EQ(-1, access(path, X_OK));
	ASSERT_EQ(0, fstat(self->both, &is));
	EXPECT_EQ(was.st_size, is.st_size);
	EXPECT_UNCHANGED(before, self->both);
}

GLOOM_TEST_MAIN
