/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests share: a wrapper for each ioctl, other users, guarded memory,
 * and the two checks that end every program.
 *
 * Wrappers return what they are asked for, or a negative errno. They fill what
 * the kernel is to write with poison first: what it did not write is seen.
 */
#ifndef GLOOM_TEST_H
#define GLOOM_TEST_H

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <linux/gloom.h>

#include "kselftest_harness.h"

#define POISON		0xcc
#define POISON32	(-0x33333334)	/* four of them */

/* Every name a test makes begins with it; what is left over is removed. */
#define NAME_PREFIX	"selftest."

/* Users that need no entry in /etc/passwd. */
#define ALICE		1000
#define BOB		1001

/* ---- ioctls --------------------------------------------------------- */

static inline int xioctl(int fd, unsigned int cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

static inline int open_device(void)
{
	return open("/dev/gloom", O_RDWR | O_CLOEXEC);
}

static inline int query(int dev, struct gloom_query *q)
{
	memset(q, POISON, sizeof(*q));
	q->size = sizeof(*q);
	q->flags = 0;
	return xioctl(dev, GLOOM_IOC_QUERY, q);
}

/* A small filter that the kernel accepts, to be changed in one thing. */
static inline struct gloom_create create_args(void)
{
	return (struct gloom_create){
		.size = sizeof(struct gloom_create),
		.nr_blocks = 64,
		.k = 7,
		.hash = GLOOM_HASH_XXH64,
		.layout = GLOOM_LAYOUT_1,
		.mode = 0600,
		.seed = 0x5eed,
	};
}

static inline void set_name(char to[GLOOM_NAME_SIZE], const char *name)
{
	memset(to, 0, GLOOM_NAME_SIZE);
	memcpy(to, name, strnlen(name, GLOOM_NAME_SIZE));
}

/* A name no other test has. */
static inline void unique_name(char name[GLOOM_NAME_SIZE], const char *tag)
{
	memset(name, 0, GLOOM_NAME_SIZE);
	snprintf(name, GLOOM_NAME_SIZE, NAME_PREFIX "%d.%s", getpid(), tag);
}

/* These four return the new file. */
static inline int create(int dev, struct gloom_create *c)
{
	int ret;

	c->fd = POISON32;
	ret = xioctl(dev, GLOOM_IOC_CREATE, c);
	return ret ? ret : c->fd;
}

static inline int create_filter(int dev, __u32 hash, __u64 nr_blocks, __u32 k)
{
	struct gloom_create c = create_args();

	c.hash = hash;
	c.nr_blocks = nr_blocks;
	c.k = k;
	return create(dev, &c);
}

static inline int create_named(int dev, const char *name, __u32 mode)
{
	struct gloom_create c = create_args();

	set_name(c.name, name);
	c.mode = mode;
	return create(dev, &c);
}

static inline int open_named(int dev, const char *name, __u32 flags)
{
	struct gloom_open o = {
		.size = sizeof(o),
		.flags = flags,
		.fd = POISON32,
	};
	int ret;

	set_name(o.name, name);
	ret = xioctl(dev, GLOOM_IOC_OPEN, &o);
	return ret ? ret : o.fd;
}

static inline int unlink_name(int dev, const char *name)
{
	struct gloom_unlink u = { .size = sizeof(u) };

	set_name(u.name, name);
	return xioctl(dev, GLOOM_IOC_UNLINK, &u);
}

/* The entry after the one in @n; begin with it all zero. */
static inline int next_name(int dev, struct gloom_next *n)
{
	n->size = sizeof(*n);
	n->flags = 0;
	n->reserved = 0;
	memset(&n->bytes, POISON, sizeof(n->bytes));
	n->uid = POISON32;
	n->gid = POISON32;
	n->mode = POISON32;
	return xioctl(dev, GLOOM_IOC_NEXT, n);
}

static inline int get_info(int fd, __u32 flags, struct gloom_info *i)
{
	memset(i, POISON, sizeof(*i));
	i->size = sizeof(*i);
	i->flags = flags;
	return xioctl(fd, GLOOM_IOC_INFO, i);
}

/* These four return the answer, 0 or 1. */
static inline int key_ioctl(int fd, unsigned int cmd, __u32 flags, __u64 key,
			    __u32 len)
{
	struct gloom_key k = {
		.size = sizeof(k),
		.flags = flags,
		.key = key,
		.len = len,
		.result = POISON32,
	};
	int ret = xioctl(fd, cmd, &k);

	return ret ? ret : (int)k.result;
}

static inline int add(int fd, const void *key, __u32 len)
{
	return key_ioctl(fd, GLOOM_IOC_ADD, 0, (uintptr_t)key, len);
}

static inline int test(int fd, const void *key, __u32 len)
{
	return key_ioctl(fd, GLOOM_IOC_TEST, 0, (uintptr_t)key, len);
}

static inline int add_hash(int fd, __u64 hash)
{
	return key_ioctl(fd, GLOOM_IOC_ADD, GLOOM_KEYS_HASHED, hash, 0);
}

static inline int test_hash(int fd, __u64 hash)
{
	return key_ioctl(fd, GLOOM_IOC_TEST, GLOOM_KEYS_HASHED, hash, 0);
}

/* Keys of one size. */
static inline struct gloom_batch batch_args(__u32 op, const void *keys,
					    __u32 key_size, __u32 nr_keys,
					    void *results)
{
	return (struct gloom_batch){
		.size = sizeof(struct gloom_batch),
		.op = op,
		.key_size = key_size,
		.nr_keys = nr_keys,
		.keys = (uintptr_t)keys,
		.keys_size = (__u64)nr_keys * key_size,
		.results = (uintptr_t)results,
	};
}

static inline struct gloom_batch hashes_args(__u32 op, const __u64 *hashes,
					     __u32 nr_keys, void *results)
{
	struct gloom_batch b = batch_args(op, hashes, 8, nr_keys, results);

	b.flags = GLOOM_KEYS_HASHED;
	return b;
}

static inline struct gloom_batch lens_args(__u32 op, const void *keys,
					   __u64 keys_size, const __u32 *lens,
					   __u32 nr_keys, void *results)
{
	struct gloom_batch b = batch_args(op, keys, 0, nr_keys, results);

	b.keys_size = keys_size;
	b.lens = (uintptr_t)lens;
	return b;
}

static inline int batch(int fd, struct gloom_batch *b)
{
	b->nr_done = POISON32;
	b->nr_positive = POISON32;
	return xioctl(fd, GLOOM_IOC_BATCH, b);
}

/* ---- State ---------------------------------------------------------- */

/* All the kernel says of a filter. Needs a file open for reading. */
static inline struct gloom_info snapshot(int fd)
{
	struct gloom_info i;

	if (get_info(fd, GLOOM_INFO_BITS_SET, &i))
		abort();
	return i;
}

#define EXPECT_UNCHANGED(before, fd) do {				\
	struct gloom_info after_ = snapshot(fd);			\
									\
	EXPECT_EQ(0, memcmp(&(before), &after_, sizeof(after_)));	\
} while (0)

/* The lowest free file descriptor: the same before and after if none leaked. */
static inline int lowest_fd(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

static inline struct gloom_query usage(void)
{
	struct gloom_query q;
	int dev = open_device();

	if (dev < 0 || query(dev, &q))
		abort();
	close(dev);
	return q;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/*
 * Files closed by dying processes are released a moment later: wait until
 * there are as many filters and bytes as in @q. Whether there are.
 */
static inline bool usage_is(const struct gloom_query *q)
{
	struct gloom_query now;
	int i;

	for (i = 0; i < 300; i++) {
		now = usage();
		if (now.nr_filters == q->nr_filters &&
		    now.total_bytes == q->total_bytes)
			return true;
		sleep_ms(10);
	}
	return false;
}

/* ---- Processes and memory ------------------------------------------- */

/* Wait for a child that exits with an errno: that negated, or -255. */
static inline int wait_child(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -255;
	return -WEXITSTATUS(status);
}

/* Call @fn as another user, in a child. It returns 0 or a negative errno. */
static inline int run_as(uid_t uid, gid_t gid, int (*fn)(void *), void *arg)
{
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
		    setresuid(uid, uid, uid))
			_exit(254);
		_exit(-fn(arg));
	}
	return wait_child(pid);
}

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Memory of @size bytes that ends where none can be accessed. */
static inline void *guarded(size_t size)
{
	size_t page = page_size();
	size_t whole = (size + page - 1) / page * page;
	char *p = mmap(NULL, whole + page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + whole, page, PROT_NONE))
		abort();
	return p + whole - size;
}

/* Memory that child processes share. */
static inline void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/* The i-th of a fixed sequence of well mixed numbers (SplitMix64). */
static inline __u64 mixed(__u64 i)
{
	__u64 z = (i + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline bool bitmap_bit(const __u8 *map, size_t bit)
{
	return map[bit / 8] >> (bit % 8) & 1;
}

/* ---- Begin and end of a program ------------------------------------- */

static int end_kmsg;
static struct gloom_query end_usage;

/* Remove the names that tests left. How many there were. */
static inline int remove_names(void)
{
	struct gloom_next n = { };
	int dev = open_device();
	int nr = 0;

	while (!next_name(dev, &n)) {
		if (strncmp(n.name, NAME_PREFIX, strlen(NAME_PREFIX)))
			continue;
		unlink_name(dev, n.name);
		nr++;
	}
	close(dev);
	return nr;
}

static inline void begin(void)
{
	int dev;

	if (geteuid()) {
		ksft_print_header();
		ksft_exit_skip("must be root\n");
	}
	dev = open_device();
	if (dev < 0) {
		ksft_print_header();
		ksft_exit_skip("/dev/gloom: %s; is the module loaded?\n",
			       strerror(errno));
	}
	close(dev);
	remove_names();
	end_usage = usage();
	end_kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (end_kmsg >= 0)
		lseek(end_kmsg, 0, SEEK_END);
}

/* Whether the kernel has nothing to say about a line of its log. */
static inline bool log_line_harmless(const char *line)
{
	static const char *const bad[] = {
		"gloom", "BUG", "WARNING", "Oops", "Call Trace", "KASAN",
		"KCSAN", "UBSAN", "general protection", "allocation failure",
		"vmalloc", "oom", "Out of memory", "rcu:", "blocked for more",
		"unreferenced object", "refcount_t", "percpu",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (strstr(line, bad[i]))
			return false;
	return true;
}

static inline void check_log(struct __test_metadata *_metadata)
{
	char line[8192];
	ssize_t len;

	if (end_kmsg < 0)
		SKIP(return, "no /dev/kmsg");
	for (;;) {
		len = read(end_kmsg, line, sizeof(line) - 1);
		if (len < 0 && errno == EPIPE)
			continue;
		if (len <= 0)
			return;
		line[len] = '\0';
		EXPECT_TRUE(log_line_harmless(line)) {
			TH_LOG("kernel: %s", line);
		}
	}
}

/*
 * Ends a test program: main(), and two tests that come last. A program whose
 * tests make the kernel log something itself uses GLOOM_TEST_MAIN_LOUD.
 */
#define GLOOM_TEST_MAIN_LOUD						\
	FIXTURE(end) { };						\
	FIXTURE_SETUP(end) { }						\
	FIXTURE_TEARDOWN(end) { }					\
	TEST_F(end, nothing_left)					\
	{								\
		EXPECT_EQ(0, remove_names());				\
		EXPECT_TRUE(usage_is(&end_usage));			\
	}								\
	int main(int argc, char **argv)					\
	{								\
		begin();						\
		return test_harness_run(argc, argv);			\
	}

#define GLOOM_TEST_MAIN							\
	GLOOM_TEST_MAIN_LOUD						\
	TEST_F(end, kernel_log_silent)					\
	{								\
		check_log(_metadata);					\
	}

#endif /* GLOOM_TEST_H */
