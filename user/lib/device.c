// SPDX-License-Identifier: MIT
/* Filters in the kernel: the ioctls of their files, and how to get one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hash.h"
#include "lib.h"

/* The oldest interface that has all the commands used here. */
#define ABI_NEEDED	1

/* Keys hashed for one GLOOM_IOC_BATCH: 8 KiB of stack. A multiple of 8. */
#define WINDOW_KEYS	1024

/*
 * Keys given to one GLOOM_IOC_BATCH as they are: the structure counts in 32
 * bits. A multiple of 8.
 */
#define CALL_KEYS	(1U << 20)

/* These are one set of numbers under two names. */
_Static_assert(GLOOM_READ == GLOOM_OPEN_READ, "access");
_Static_assert(GLOOM_WRITE == GLOOM_OPEN_WRITE, "access");
_Static_assert((int)GLOOM_TEST == GLOOM_OP_TEST, "operation");
_Static_assert((int)GLOOM_ADD == GLOOM_OP_ADD, "operation");
_Static_assert((int)GLOOM_TEST_AND_ADD == GLOOM_OP_TEST_ADD, "operation");
_Static_assert((int)GLOOM_XXH64 == GLOOM_HASH_XXH64, "hash kind");
_Static_assert((int)GLOOM_XXH3 == GLOOM_HASH_XXH3, "hash kind");
_Static_assert((int)GLOOM_PREHASHED == GLOOM_HASH_PREHASHED, "hash kind");

int gloom_ioctl(int fd, unsigned int command, void *args)
{
	return ioctl(fd, command, args) < 0 ? -errno : 0;
}

int gloom_device_open(struct gloom_query *query)
{
	int fd = open("/dev/gloom", O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0) {
		switch (errno) {
		case ENODEV:	/* a node without its driver */
		case ENXIO:
			return -ENOENT;
		case EPERM:	/* a device cgroup says so */
			return -EACCES;
		default:
			return -errno;
		}
	}

	*query = (struct gloom_query){ .size = sizeof(*query) };
	err = gloom_ioctl(fd, GLOOM_IOC_QUERY, query);
	if (err || query->abi < ABI_NEEDED ||
	    !(query->layouts & 1U << GLOOM_LAYOUT_1)) {
		close(fd);
		return -EPROTO;
	}
	return fd;
}

int gloom_device_name(char to[GLOOM_NAME_SIZE], const char *name)
{
	size_t len = strnlen(name, GLOOM_NAME_SIZE);

	if (!len || len == GLOOM_NAME_SIZE)
		return -EINVAL;
	memset(to, 0, GLOOM_NAME_SIZE);
	memcpy(to, name, len);
	return 0;
}

/* Returns the number of keys done or -errno. */
static int64_t batch_call(struct gloom_filter *filter, struct gloom_batch *args,
			  uint8_t *results, uint64_t *positives)
{
	int err;

	if (!args->nr_keys)
		return 0;
	args->size = sizeof(*args);
	args->results = (uintptr_t)results;
	if (filter->hash != GLOOM_XXH64)
		args->flags = GLOOM_KEYS_HASHED;
	err = gloom_ioctl(filter->fd, GLOOM_IOC_BATCH, args);
	if (err)
		return err;
	*positives += args->nr_positive;
	return args->nr_done;
}

/* The next keys of those that the kernel takes as they are. */
static int64_t pass_keys(struct gloom_filter *filter, enum gloom_op op,
			 struct gloom_cursor *cursor, uint8_t *results,
			 uint64_t *positives, size_t *taken)
{
	const struct gloom_keys keys = cursor->rest;
	struct gloom_batch args = {
		.op = op,
		.key_size = keys.key_size,
		.keys = (uintptr_t)keys.data,
		.lens = keys.key_size ? 0 : (uintptr_t)keys.lens,
	};
	uint64_t bytes;

	*taken = gloom_take_keys(cursor, filter->hash, &bytes, CALL_KEYS);
	args.nr_keys = *taken;
	args.keys_size = bytes;
	return batch_call(filter, &args, results, positives);
}

/* The next keys of those whose hashes the kernel wants. */
static int64_t pass_hashes(struct gloom_filter *filter, enum gloom_op op,
			   struct gloom_cursor *cursor, uint8_t *results,
			   uint64_t *positives, size_t *taken)
{
	uint64_t hashes[WINDOW_KEYS];
	struct gloom_batch args = {
		.op = op,
		.key_size = sizeof(hashes[0]),
		.keys = (uintptr_t)hashes,
	};

	*taken = gloom_take_hashes(cursor, filter->hash, filter->seed, hashes,
				   WINDOW_KEYS);
	args.nr_keys = *taken;
	args.keys_size = *taken * sizeof(hashes[0]);
	return batch_call(filter, &args, results, positives);
}

static int64_t device_batch(struct gloom_filter *filter, enum gloom_op op,
			    const struct gloom_keys *keys, uint8_t *results,
			    uint64_t *positives)
{
	struct gloom_cursor cursor = { .rest = *keys };
	int64_t done = 0, now;
	size_t taken;

	do {
		uint8_t *to = results ? results + done / 8 : NULL;

		/* Hashes that are in one piece need not be gathered. */
		if (filter->hash == GLOOM_XXH64 ||
		    (filter->hash == GLOOM_PREHASHED && keys->key_size))
			now = pass_keys(filter, op, &cursor, to, positives,
					&taken);
		else
			now = pass_hashes(filter, op, &cursor, to, positives,
					  &taken);
		if (now < 0)
			return done ? done : now;
		done += now;
	} while (now == (int64_t)taken && cursor.rest.nr && !cursor.err);

	return done ? done : cursor.err;
}

static int device_single(struct gloom_filter *filter, enum gloom_op op,
			 const void *key, size_t len)
{
	struct gloom_key args = { .size = sizeof(args) };
	int err;

	if (op == GLOOM_TEST_AND_ADD) {
		const uint32_t lens = len;
		const struct gloom_keys keys = {
			.data = key,
			.nr = 1,
			.lens = &lens,
		};
		uint64_t positive = 0;

		err = device_batch(filter, op, &keys, NULL, &positive);
		return err < 0 ? err : (int)positive;
	}

	if (filter->hash == GLOOM_XXH64) {
		args.key = (uintptr_t)key;
		args.len = len;
	} else {
		args.flags = GLOOM_KEYS_HASHED;
		args.key = gloom_key_hash(filter->hash, filter->seed, key, len);
	}
	err = gloom_ioctl(filter->fd, op == GLOOM_TEST ? GLOOM_IOC_TEST :
							 GLOOM_IOC_ADD, &args);
	return err ? err : (int)args.result;
}

static int device_info(struct gloom_filter *filter, struct gloom_info *info)
{
	/* The kernel refuses what it otherwise only leaves out. */
	if (!(filter->access & GLOOM_READ))
		info->flags &= ~GLOOM_INFO_BITS_SET;
	info->size = sizeof(*info);
	return gloom_ioctl(filter->fd, GLOOM_IOC_INFO, info);
}

static void device_close(struct gloom_filter *filter)
{
	close(filter->fd);
	free(filter);
}

static const struct gloom_ops device_ops = {
	.single = device_single,
	.batch = device_batch,
	.info = device_info,
	.close = device_close,
};

/* What the file may do: 0 if nothing. */
static unsigned int file_access(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	switch (flags < 0 ? -1 : flags & O_ACCMODE) {
	case O_RDONLY:
		return GLOOM_READ;
	case O_WRONLY:
		return GLOOM_WRITE;
	case O_RDWR:
		return GLOOM_READ | GLOOM_WRITE;
	default:
		return 0;
	}
}

static bool hash_known(uint32_t hash)
{
	return hash >= GLOOM_HASH_XXH64 && hash <= GLOOM_HASH_PREHASHED;
}

/* Makes a handle of a filter file, or closes it. */
static int adopt(struct gloom_filter **filter, int fd)
{
	struct gloom_info info = { .size = sizeof(info) };
	struct gloom_filter *new;
	int err;

	err = gloom_ioctl(fd, GLOOM_IOC_INFO, &info);
	if (!err && (info.layout != GLOOM_LAYOUT_1 || !hash_known(info.hash)))
		err = -EPROTO;
	new = err ? NULL : malloc(sizeof(*new));
	if (!new) {
		close(fd);
		return err ? err : -ENOMEM;
	}
	*new = (struct gloom_filter){
		.ops = &device_ops,
		.nr_blocks = info.nr_blocks,
		.seed = info.seed,
		.k = info.k,
		.hash = (enum gloom_hash)info.hash,
		.access = file_access(fd),
		.fd = fd,
	};
	*filter = new;
	return 0;
}

int gloom_device_create(struct gloom_filter **filter, struct gloom_create *args)
{
	struct gloom_query query;
	int fd, err;

	fd = gloom_device_open(&query);
	if (fd < 0)
		return fd;
	args->size = sizeof(*args);
	err = gloom_ioctl(fd, GLOOM_IOC_CREATE, args);
	close(fd);
	return err ? err : adopt(filter, args->fd);
}

int gloom_open(struct gloom_filter **filter, const char *name,
	       unsigned int access)
{
	struct gloom_open args = { .size = sizeof(args), .flags = access };
	struct gloom_query query;
	int fd, err;

	err = gloom_device_name(args.name, name);
	if (err)
		return err;
	fd = gloom_device_open(&query);
	if (fd < 0)
		return fd;
	err = gloom_ioctl(fd, GLOOM_IOC_OPEN, &args);
	close(fd);
	if (err)
		return err == -ENOENT ? -ENXIO : err;
	return adopt(filter, args.fd);
}

int gloom_open_fd(struct gloom_filter **filter, int fd)
{
	int err;

	/* Not one of the standard three, should they be closed. */
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -errno;
	err = adopt(filter, fd);
	/* Some files know no ioctl and say so in their own way. */
	return err == -EINVAL ? -ENOTTY : err;
}
