// SPDX-License-Identifier: GPL-2.0
/* How long a filter lives: files, names, processes, and orders of ending. */

#include <pthread.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#include "gloom_test.h"

FIXTURE(lifetime)
{
	int dev;
	char name[GLOOM_NAME_SIZE];
	struct gloom_query none;	/* usage without the test's filters */
};

FIXTURE_SETUP(lifetime)
{
	self->dev = open_device();
	ASSERT_LE(0, self->dev);
	unique_name(self->name, "lifetime");
	self->none = usage();
}

FIXTURE_TEARDOWN(lifetime)
{
	EXPECT_TRUE(usage_is(&self->none));
	close(self->dev);
}

static int create_any(int dev)
{
	return create_filter(dev, GLOOM_HASH_XXH64, 1000, 7);
}

TEST_F(lifetime, fork_shares)
{
	int fd = create_any(self->dev);
	pid_t pid;

	ASSERT_EQ(1, add(fd, "parent", 6));
	pid = fork();
	if (!pid)
		_exit(test(fd, "parent", 6) != 1 || add(fd, "child", 5) != 1);
	EXPECT_EQ(0, wait_child(pid));
	EXPECT_EQ(1, test(fd, "child", 5));
	close(fd);
}

static int watch(int fd)
{
	char path[64];
	int watcher = inotify_init1(IN_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (watcher >= 0 && inotify_add_watch(watcher, path, IN_ALL_EVENTS) < 0)
		return -1;
	return watcher;
}

/* A watch does not keep a filter, and ends after it without harm. */
TEST_F(lifetime, watch_does_not_keep)
{
	int fd, watcher;

	fd = create_any(self->dev);
	watcher = watch(fd);
	ASSERT_LE(0, watcher);
	close(fd);
	EXPECT_TRUE(usage_is(&self->none));
	close(watcher);
}

TEST_F(lifetime, watch_beside_other_filter)
{
	int other = create_any(self->dev);
	struct gloom_query one = usage();
	int fd = create_any(self->dev);
	int watcher = watch(fd);

	ASSERT_LE(0, watcher);
	close(fd);
	EXPECT_TRUE(usage_is(&one));
	close(other);
	close(watcher);
}

/* Ending the watch and the file at once: either may hold the inode last. */
static void *close_it(void *arg)
{
	close((long)arg);
	return NULL;
}

TEST_F(lifetime, watch_ends_with_file)
{
	int i;

	for (i = 0; i < 500; i++) {
		int fd = create_any(self->dev);
		long watcher = watch(fd);
		pthread_t thread;

		ASSERT_LE(0, watcher);
		ASSERT_EQ(0, pthread_create(&thread, NULL, close_it,
					    (void *)watcher));
		close(fd);
		pthread_join(thread, NULL);
	}
}

/*
 * Dropping caches (1) takes inodes of all file systems for a moment; it logs
 * one line, and is quiet then (4).
 */
TEST_F(lifetime, drop_caches_meanwhile)
{
	pid_t pid = fork();
	int i;

	if (!pid) {
		int file = open("/proc/sys/vm/drop_caches", O_WRONLY);

		for (i = 0; file >= 0 && i < 100; i++)
			pwrite(file, "5\n", 2, 0);
		_exit(file < 0);
	}
	for (i = 0; i < 500; i++)
		close(create_any(self->dev));
	EXPECT_EQ(0, wait_child(pid));
}

TEST_F(lifetime, dup_last_close_frees)
{
	struct gloom_query one;
	int fd = create_any(self->dev);
	int copy = dup(fd);

	one = usage();
	EXPECT_EQ(self->none.nr_filters + 1, one.nr_filters);
	ASSERT_EQ(1, add(fd, "key", 3));
	close(fd);
	EXPECT_EQ(-EBADF, test(fd, "key", 3));
	EXPECT_EQ(1, test(copy, "key", 3));
	EXPECT_TRUE(usage_is(&one));
	close(copy);
	EXPECT_TRUE(usage_is(&self->none));
}

/* The device is not needed for what it made. */
TEST_F(lifetime, device_closed)
{
	int dev = open_device();
	int fd = create_any(dev);

	close(dev);
	EXPECT_EQ(1, add(fd, "key", 3));
	EXPECT_EQ(1, test(fd, "key", 3));
	close(fd);
}

static int create_and_add(void *arg)
{
	FIXTURE_DATA(lifetime) *self = arg;
	int fd = create_named(self->dev, self->name, 0666);

	return fd < 0 ? fd : -(add(fd, "key", 3) != 1);
}

TEST_F(lifetime, named_survives_creator)
{
	struct gloom_query one;
	int fd;

	ASSERT_EQ(0, run_as(ALICE, ALICE, create_and_add, self));
	one = self->none;
	one.nr_filters++;
	one.total_bytes += page_size();
	EXPECT_TRUE(usage_is(&one));
	fd = open_named(self->dev, self->name, 3);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, test(fd, "key", 3));
	close(fd);
	EXPECT_TRUE(usage_is(&one));
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	EXPECT_TRUE(usage_is(&self->none));
}

TEST_F(lifetime, anonymous_dies_with_creator)
{
	int pipe_fds[2];
	pid_t pid;
	char byte;

	/* By exit. */
	pid = fork();
	if (!pid)
		_exit(create_any(self->dev) < 0);
	EXPECT_EQ(0, wait_child(pid));
	EXPECT_TRUE(usage_is(&self->none));

	/* By SIGKILL. */
	ASSERT_EQ(0, pipe(pipe_fds));
	pid = fork();
	if (!pid) {
		if (create_any(self->dev) < 0 || write(pipe_fds[1], "x", 1) < 0)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(pipe_fds[0], &byte, 1));
	EXPECT_EQ(self->none.nr_filters + 1, usage().nr_filters);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- Passing files on ------------------------------------------------ */

union fd_message {
	char buffer[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int send_fd(int socket, int fd)
{
	union fd_message control = { };
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buffer,
		.msg_controllen = sizeof(control.buffer),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int socket)
{
	union fd_message control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buffer,
		.msg_controllen = sizeof(control.buffer),
	};
	int fd;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) != 1 ||
	    !CMSG_FIRSTHDR(&msg))
		return -EIO;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* A file goes to a process that existed before it, and outlives its maker. */
TEST_F(lifetime, pass_to_process)
{
	int sockets[2], fd;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork();
	if (!pid) {
		fd = create_any(self->dev);
		if (add(fd, "key", 3) != 1 || send_fd(sockets[0], fd))
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(0, wait_child(pid));
	fd = receive_fd(sockets[1]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, test(fd, "key", 3));
	EXPECT_EQ(0, test(fd, "other", 5));
	close(fd);
}

TEST_F(lifetime, pass_and_drop)
{
	int sockets[2], fd;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	fd = create_any(self->dev);
	ASSERT_EQ(0, send_fd(sockets[0], fd));
	close(fd);
	EXPECT_EQ(self->none.nr_filters + 1, usage().nr_filters);
	close(sockets[0]);
	close(sockets[1]);
	EXPECT_TRUE(usage_is(&self->none));
}

/* What may be done goes with the file, not with the process. */
TEST_F(lifetime, pass_reader)
{
	int sockets[2], fd, reader;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	fd = create_named(self->dev, self->name, 0600);
	reader = open_named(self->dev, self->name, GLOOM_OPEN_READ);
	ASSERT_EQ(0, send_fd(sockets[0], reader));
	close(reader);
	reader = receive_fd(sockets[1]);
	EXPECT_EQ(0, test(reader, "key", 3));
	EXPECT_EQ(-EBADF, add(reader, "key", 3));
	EXPECT_EQ(0, unlink_name(self->dev, self->name));
	close(reader);
	close(fd);
}

/* ---- Orders of ending ----------------------------------------------- */

/* File, device and name end in every order. */
TEST_F(lifetime, end_orders)
{
	static const char orders[][4] = { "fdn", "fnd", "dfn", "dnf", "nfd",
					  "ndf" };
	int fd, dev;
	size_t o, i;

	for (o = 0; o < ARRAY_SIZE(orders); o++) {
		dev = open_device();
		fd = create_named(dev, self->name, 0600);
		ASSERT_LE(0, fd);
		ASSERT_EQ(1, add(fd, "key", 3));
		for (i = 0; i < 3; i++) {
			switch (orders[o][i]) {
			case 'f':
				close(fd);
				break;
			case 'd':
				close(dev);
				break;
			case 'n':
				EXPECT_EQ(0, unlink_name(self->dev,
							 self->name));
				break;
			}
			if (i < 2 && orders[o][2] != 'd')
				EXPECT_EQ(self->none.nr_filters + 1,
					  usage().nr_filters);
		}
		EXPECT_TRUE(usage_is(&self->none));
	}
}

/* A call remembers no memory of its caller. */
TEST_F(lifetime, keys_unmapped)
{
	int fd = create_any(self->dev);
	struct gloom_batch b;
	__u8 *keys = guarded(8000);

	b = batch_args(GLOOM_OP_ADD, keys, 8, 1000, NULL);
	ASSERT_EQ(0, batch(fd, &b));
	ASSERT_EQ(0, munmap((void *)((uintptr_t)keys & -page_size()), 8192));
	EXPECT_EQ(-EFAULT, batch(fd, &b));
	EXPECT_EQ(1, test(fd, "\0\0\0\0\0\0\0\0", 8));
	EXPECT_EQ(1000, snapshot(fd).adds);
	close(fd);
}

enum { BATCH_KEYS = 1000000 };

struct long_batch {
	int fd;
	struct gloom_batch b;
	int ret;
	int *started;
};

static void *batch_thread(void *arg)
{
	struct long_batch *l = arg;

	__atomic_store_n(l->started, 1, __ATOMIC_RELEASE);
	l->ret = batch(l->fd, &l->b);
	return NULL;
}

/* Start a batch in a thread, and wait until it has done something. */
static pthread_t start_batch(struct __test_metadata *_metadata,
			     struct long_batch *l, int dev)
{
	static __u64 hashes[BATCH_KEYS];
	pthread_t thread;
	int i;

	for (i = 0; i < BATCH_KEYS; i++)
		hashes[i] = mixed(i);
	l->fd = create_filter(dev, GLOOM_HASH_PREHASHED, 1000, 7);
	l->b = hashes_args(GLOOM_OP_ADD, hashes, BATCH_KEYS, NULL);
	ASSERT_EQ(0, pthread_create(&thread, NULL, batch_thread, l));
	while (!snapshot(l->fd).adds)
		;
	return thread;
}

/* A call under way keeps the filter, though its last file is closed. */
TEST_F(lifetime, close_during_batch)
{
	int started = 0;
	struct long_batch l = { .started = &started };
	pthread_t thread = start_batch(_metadata, &l, self->dev);

	EXPECT_EQ(0, close(l.fd));
	EXPECT_EQ(-EBADF, add_hash(l.fd, 1));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, l.ret);
	EXPECT_EQ(BATCH_KEYS, l.b.nr_done);
	EXPECT_TRUE(usage_is(&self->none));
}

/* The number of a file closed meanwhile may be another's at once. */
TEST_F(lifetime, replace_during_batch)
{
	int started = 0;
	struct long_batch l = { .started = &started };
	pthread_t thread = start_batch(_metadata, &l, self->dev);
	int other = create_any(self->dev);

	ASSERT_EQ(l.fd, dup2(other, l.fd));
	EXPECT_EQ(1, add(l.fd, "key", 3));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(BATCH_KEYS, l.b.nr_done);
	EXPECT_EQ(1, snapshot(other).adds);
	close(other);
	close(l.fd);
}

/* Processes that end, or are ended, with a batch under way in a thread. */
TEST_F(lifetime, exit_during_batch)
{
	int *started = shared(sizeof(*started));
	struct long_batch l = { .started = started };
	pid_t pid;
	int round;

	for (round = 0; round < 10; round++) {
		*started = 0;
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			start_batch(_metadata, &l, self->dev);
			if (round % 2)
				_exit(0);
			pause();
		}
		while (!__atomic_load_n(started, __ATOMIC_ACQUIRE))
			sleep_ms(1);
		if (round % 2 == 0) {
			sleep_ms(round);
			kill(pid, SIGKILL);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		EXPECT_TRUE(usage_is(&self->none));
	}
}

/* ---- All at once ---------------------------------------------------- */

static void churn(int dev, pid_t pid, unsigned int seed)
{
	time_t end = time(NULL) + 4;
	char name[GLOOM_NAME_SIZE];
	struct gloom_next n = { };
	int fds[4] = { -1, -1, -1, -1 };
	int *fd;

	while (time(NULL) < end) {
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), NAME_PREFIX "%d.%d", pid,
			 (int)(mixed(seed++) % 3));
		fd = &fds[mixed(seed++) % 4];
		switch (mixed(seed++) % 6) {
		case 0:
			close(*fd);
			*fd = create_named(dev, name, 0600);
			break;
		case 1:
			close(*fd);
			*fd = open_named(dev, name, 3);
			break;
		case 2:
			unlink_name(dev, name);
			break;
		case 3:
			add(*fd, name, 20);
			break;
		case 4:
			test(*fd, name, 20);
			break;
		case 5:
			if (next_name(dev, &n))
				memset(&n, 0, sizeof(n));
			break;
		}
	}
}

/* Processes make, open, use, unlink and close the same few names. */
TEST_F(lifetime, churn)
{
	enum { PROCESSES = 6 };
	pid_t pids[PROCESSES], parent = getpid();
	int i;

	for (i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			churn(self->dev, parent, 1 + 1000000 * i);
			_exit(0);
		}
	}
	for (i = 0; i < PROCESSES; i++)
		EXPECT_EQ(0, wait_child(pids[i]));
	remove_names();
}

GLOOM_TEST_MAIN
