// SPDX-License-Identifier: GPL-2.0
/* Names: which there are, unlinking, iterating while others come and go. */

#include "gloom_test.h"

#define LEGAL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@+-"

FIXTURE(name)
{
	int dev;
	char name[GLOOM_NAME_SIZE];
};

FIXTURE_SETUP(name)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	unique_name(self->name, "name");
}

FIXTURE_TEARDOWN(name)
{
	close(self->dev);
}

/* What all four commands that take a name say of these 64 bytes. */
static int try_name(int dev, const char name[GLOOM_NAME_SIZE])
{
	struct gloom_create c = create_args();
	struct gloom_open o = { .size = sizeof(o), .flags = GLOOM_OPEN_READ };
	struct gloom_unlink u = { .size = sizeof(u) };
	struct gloom_next n = { };
	int created, opened, unlinked, next;

	memcpy(c.name, name, GLOOM_NAME_SIZE);
	memcpy(o.name, name, GLOOM_NAME_SIZE);
	memcpy(u.name, name, GLOOM_NAME_SIZE);
	memcpy(n.name, name, GLOOM_NAME_SIZE);
	created = create(dev, &c);
	opened = xioctl(dev, GLOOM_IOC_OPEN, &o);
	next = next_name(dev, &n);
	unlinked = xioctl(dev, GLOOM_IOC_UNLINK, &u);
	if (created >= 0) {
		close(created);
		close(o.fd);
		return opened ?: unlinked;
	}
	return opened == created && unlinked == created && next == created ?
	       created : -EPROTO;
}

TEST_F(name, characters)
{
	char name[GLOOM_NAME_SIZE];
	int i, expected;

	for (i = 1; i < 256; i++) {
		expected = i < 128 && strchr(LEGAL, i) ? 0 : -EINVAL;
		set_name(name, NAME_PREFIX "x");
		name[strlen(name)] = i;
		EXPECT_EQ(expected, try_name(self->dev, name)) {
			TH_LOG("last character %#x", i);
		}
		set_name(name, NAME_PREFIX "xx");
		name[strlen(name) - 1] = i;
		name[strlen(name)] = 'x';
		EXPECT_EQ(expected, try_name(self->dev, name)) {
			TH_LOG("character %#x", i);
		}
	}
}

TEST_F(name, first_character)
{
	char name[GLOOM_NAME_SIZE];
	int i, expected;

	for (i = 1; i < 256; i++) {
		/* Of the legal ones two may not be the first. */
		expected = i < 128 && strchr(LEGAL, i) && i != '.' && i != '-' ?
			   0 : -EINVAL;
		set_name(name, "?" NAME_PREFIX "first");
		name[0] = i;
		EXPECT_EQ(expected, try_name(self->dev, name)) {
			TH_LOG("first character %#x", i);
		}
	}
}

TEST_F(name, lengths)
{
	char name[GLOOM_NAME_SIZE];
	int len;

	set_name(name, NAME_PREFIX);
	for (len = strlen(name); len < GLOOM_NAME_SIZE; len++) {
		EXPECT_EQ(0, try_name(self->dev, name)) {
			TH_LOG("length %d", len);
		}
		name[len] = 'x';
	}
	/* 64 characters and no end. */
	EXPECT_EQ(-EINVAL, try_name(self->dev, name));
}

/* Bytes behind the end of the name. */
TEST_F(name, garbage_behind)
{
	char name[GLOOM_NAME_SIZE];
	int i;

	for (i = strlen(self->name) + 1; i < GLOOM_NAME_SIZE; i++) {
		memcpy(name, self->name, sizeof(name));
		name[i] = 'x';
		EXPECT_EQ(-EINVAL, try_name(self->dev, name));
	}
	for (i = 1; i < GLOOM_NAME_SIZE; i++) {
		memset(name, 0, sizeof(name));
		name[i] = 'x';
		EXPECT_EQ(-EINVAL, try_name(self->dev, name));
	}
}

TEST_F(name, none)
{
	EXPECT_EQ(-EINVAL, open_named(self->dev, "", GLOOM_OPEN_READ));
	EXPECT_EQ(-EINVAL, unlink_name(self->dev, ""));
}

TEST_F(name, taken)
{
	struct gloom_query before;
	int fd = create_named(self->dev, self->name, 0600);

	ASSERT_LE(0, fd);
	before = usage();
	EXPECT_EQ(-EEXIST, create_named(self->dev, self->name, 0600));
	EXPECT_TRUE(usage_is(&before));
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
}

TEST_F(name, absent)
{
	EXPECT_EQ(-ENOENT, open_named(self->dev, self->name, GLOOM_OPEN_READ));
	EXPECT_EQ(-ENOENT, unlink_name(self->dev, self->name));
}

/* A name is all of it: neither a part nor a case nor a longer one. */
TEST_F(name, exact)
{
	char other[GLOOM_NAME_SIZE];

	ASSERT_LE(0, create_named(self->dev, self->name, 0600));
	set_name(other, self->name);
	other[strlen(other) - 1] = '\0';
	EXPECT_EQ(-ENOENT, open_named(self->dev, other, GLOOM_OPEN_READ));
	set_name(other, self->name);
	other[strlen(other)] = 'x';
	EXPECT_EQ(-ENOENT, open_named(self->dev, other, GLOOM_OPEN_READ));
	set_name(other, self->name);
	other[0] ^= 'a' ^ 'A';
	EXPECT_EQ(-ENOENT, open_named(self->dev, other, GLOOM_OPEN_READ));
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
}

TEST_F(name, open_same_filter)
{
	int fd = create_named(self->dev, self->name, 0600);
	int again = open_named(self->dev, self->name, 3);

	ASSERT_LE(0, again);
	EXPECT_EQ(1, add(fd, "key", 3));
	EXPECT_EQ(1, test(again, "key", 3));
	EXPECT_EQ(snapshot(fd).id, snapshot(again).id);
	EXPECT_STREQ(self->name, snapshot(again).name);
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
}

/* An unlinked filter goes on for those who have it; the name is free. */
TEST_F(name, unlink_while_open)
{
	int old = create_named(self->dev, self->name, 0600);
	int new;

	ASSERT_EQ(1, add(old, "key", 3));
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	EXPECT_EQ(-ENOENT, open_named(self->dev, self->name, GLOOM_OPEN_READ));
	EXPECT_EQ(-ENOENT, unlink_name(self->dev, self->name));
	EXPECT_EQ(1, test(old, "key", 3));
	EXPECT_STREQ(self->name, snapshot(old).name);

	new = create_named(self->dev, self->name, 0600);
	ASSERT_LE(0, new);
	EXPECT_EQ(0, test(new, "key", 3));
	EXPECT_EQ(1, test(old, "key", 3));
	EXPECT_NE(snapshot(old).id, snapshot(new).id);
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
}

/* ---- Iterating ------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Names in the order of their bytes, not as they came, each once. */
TEST_F(name, next_order)
{
	static const char *const tags[] = { "b", "B", "a9", "a10", "a", "+",
					    "_", "a-", "@x" };
	char expected[ARRAY_SIZE(tags)][GLOOM_NAME_SIZE], name[GLOOM_NAME_SIZE];
	struct gloom_next n = { };
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tags); i++) {
		unique_name(name, tags[i]);
		close(create_named(self->dev, name, 0600));
		memcpy(expected[i], name, sizeof(name));
	}
	qsort(expected, ARRAY_SIZE(expected), GLOOM_NAME_SIZE, compare_names);
	while (!next_name(self->dev, &n)) {
		if (strncmp(n.name, NAME_PREFIX, strlen(NAME_PREFIX)))
			continue;
		ASSERT_LT(nr, ARRAY_SIZE(expected));
		EXPECT_EQ(0, memcmp(expected[nr], n.name, sizeof(n.name)));
		EXPECT_EQ(page_size(), n.bytes);
		EXPECT_EQ(0, n.uid);
		EXPECT_EQ(0, n.gid);
		EXPECT_EQ(0600, n.mode);
		nr++;
	}
	EXPECT_EQ(ARRAY_SIZE(expected), nr);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, unlink_name(self->dev, expected[i]));
}

/* The end is ENOENT and leaves the name alone. */
TEST_F(name, next_end)
{
	struct gloom_next n = { }, before;

	memset(n.name, 'z', GLOOM_NAME_SIZE - 1);
	before = n;
	EXPECT_EQ(-ENOENT, next_name(self->dev, &n));
	EXPECT_EQ(0, memcmp(before.name, n.name, sizeof(n.name)));
	EXPECT_EQ(POISON32, (int)n.uid);
}

/* Going on from a name that is gone. */
TEST_F(name, next_after_unlinked)
{
	struct gloom_next n = { };
	char last[GLOOM_NAME_SIZE];

	unique_name(last, "name2");
	close(create_named(self->dev, self->name, 0600));
	close(create_named(self->dev, last, 0600));
	set_name(n.name, self->name);
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	EXPECT_EQ(0, next_name(self->dev, &n));
	EXPECT_STREQ(last, n.name);
	EXPECT_EQ(0, unlink_name(self->dev, last));
}

enum { STABLE = 20, CHURN = 20 };

static void stable_name(char name[GLOOM_NAME_SIZE], pid_t pid, int i)
{
	memset(name, 0, GLOOM_NAME_SIZE);
	snprintf(name, GLOOM_NAME_SIZE, NAME_PREFIX "%d.%02d", pid, 2 * i);
}

/* Names between the stable ones come and go until killed. */
static void churn(int dev, pid_t pid, unsigned int seed)
{
	char name[GLOOM_NAME_SIZE];
	int fd;

	for (;; seed++) {
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), NAME_PREFIX "%d.%02d", pid,
			 (int)(2 * (mixed(seed) % CHURN) + 1));
		fd = create_named(dev, name, 0600);
		if (fd >= 0)
			close(fd);
		snprintf(name, sizeof(name), NAME_PREFIX "%d.%02d", pid,
			 (int)(2 * (mixed(seed * 7) % CHURN) + 1));
		unlink_name(dev, name);
	}
}

/* What exists all the time is met exactly once, whatever others do. */
TEST_F(name, next_while_changing)
{
	char name[GLOOM_NAME_SIZE], last[GLOOM_NAME_SIZE];
	struct gloom_next n;
	pid_t child[3];
	int i, round;

	for (i = 0; i < STABLE; i++) {
		stable_name(name, getpid(), i);
		close(create_named(self->dev, name, 0600));
	}
	for (i = 0; i < 3; i++) {
		pid_t parent = getpid();

		child[i] = fork();
		ASSERT_LE(0, child[i]);
		if (!child[i])
			churn(self->dev, parent, 1000 * i);
	}
	for (round = 0; round < 500; round++) {
		int met = 0;

		memset(&n, 0, sizeof(n));
		memset(last, 0, sizeof(last));
		while (!next_name(self->dev, &n)) {
			ASSERT_LT(0, strcmp(n.name, last));
			memcpy(last, n.name, sizeof(last));
			stable_name(name, getpid(), met);
			if (met < STABLE && !strcmp(n.name, name))
				met++;
		}
		ASSERT_EQ(STABLE, met);
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, kill(child[i], SIGKILL));
		ASSERT_EQ(child[i], waitpid(child[i], NULL, 0));
	}
	remove_names();
}

/* Of those that create one name at a time exactly one succeeds. */
TEST_F(name, create_race)
{
	enum { PROCESSES = 8, ROUNDS = 200 };
	__u32 *won = shared(ROUNDS * sizeof(*won));
	char name[GLOOM_NAME_SIZE];
	pid_t parent = getpid();
	int i, round, fd;

	for (i = 0; i < PROCESSES; i++) {
		if (fork())
			continue;
		for (round = 0; round < ROUNDS; round++) {
			memset(name, 0, sizeof(name));
			snprintf(name, sizeof(name), NAME_PREFIX "%d.race.%d",
				 parent, round);
			fd = create_named(self->dev, name, 0600);
			if (fd >= 0)
				__atomic_fetch_add(&won[round], 1,
						   __ATOMIC_RELAXED);
			else if (fd != -EEXIST)
				_exit(1);
		}
		_exit(0);
	}
	for (i = 0; i < PROCESSES; i++) {
		int status;

		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	for (round = 0; round < ROUNDS; round++)
		EXPECT_EQ(1, won[round]);
	EXPECT_EQ(ROUNDS, remove_names());
}

GLOOM_TEST_MAIN
