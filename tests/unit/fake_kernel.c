// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fake_kernel.h"

struct fake fake;

static int device_file = -1, filter_file = -1;

void fake_reset(void)
{
	if (device_file < 0) {
		device_file = memfd_create("device", MFD_CLOEXEC);
		filter_file = memfd_create("filter", MFD_CLOEXEC);
	}
	memset(&fake, 0, sizeof(fake));
	fake.abi = GLOOM_ABI;
	fake.layouts = 1U << GLOOM_LAYOUT_1;
}

/* The same file anew, with flags of its own. */
static int reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return __real_open(path, flags | O_CLOEXEC);
}

int fake_filter_file(int flags)
{
	return reopen(filter_file, flags);
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/gloom")) {
		va_list args;
		int fd;

		va_start(args, flags);
		fd = __real_open(path, flags, va_arg(args, int));
		va_end(args);
		return fd;
	}
	fake.opened++;
	if (fake.open_error || !(flags & O_CLOEXEC)) {
		errno = fake.open_error ? fake.open_error : EINVAL;
		return -1;
	}
	return reopen(device_file, flags);
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_ino == y.st_ino &&
	       x.st_dev == y.st_dev;
}

static bool name_valid(const char name[GLOOM_NAME_SIZE])
{
	size_t len = strnlen(name, GLOOM_NAME_SIZE);

	for (size_t i = len; i < GLOOM_NAME_SIZE; i++) {
		if (name[i])
			return false;
	}
	return len > 0 && len < GLOOM_NAME_SIZE;
}

static int do_query(struct gloom_query *args)
{
	if (args->size != sizeof(*args) || args->flags)
		return -EINVAL;
	*args = (struct gloom_query){
		.size = args->size,
		.abi = fake.abi,
		.key_max = GLOOM_KEY_MAX,
		.hashes = 0xe,
		.layouts = fake.layouts,
		.max_filter_bytes = 1ULL << 40,
		.max_total_bytes = 1ULL << 41,
		.total_bytes = 12345,
		.max_filters = 67,
		.nr_filters = 8,
	};
	return 0;
}

static int do_create(struct gloom_create *args)
{
	if (args->size != sizeof(*args) || args->nr_blocks > FAKE_BLOCKS ||
	    (args->flags & GLOOM_CREATE_RANDOM_SEED && args->seed) ||
	    (!(args->flags & GLOOM_CREATE_NODE) && args->node))
		return -EINVAL;
	fake.created = *args;
	if (args->flags & GLOOM_CREATE_RANDOM_SEED)
		fake.created.seed = 0xabad1dea;
	args->fd = fake_filter_file(O_RDWR);
	return 0;
}

static int do_open(struct gloom_open *args)
{
	static const int modes[] = { -1, O_RDONLY, O_WRONLY, O_RDWR };

	if (args->size != sizeof(*args) || args->reserved || !args->flags ||
	    args->flags & ~GLOOM_OPEN_FLAGS || !name_valid(args->name))
		return -EINVAL;
	fake.asked = *args;
	args->fd = fake_filter_file(modes[args->flags]);
	return 0;
}

static int do_unlink(struct gloom_unlink *args)
{
	if (args->size != sizeof(*args) || args->flags ||
	    !name_valid(args->name))
		return -EINVAL;
	fake.unlinked = *args;
	return 0;
}

static int do_next(struct gloom_next *args)
{
	unsigned int i;

	if (args->size != sizeof(*args) || args->flags || args->reserved)
		return -EINVAL;
	for (i = 0; fake.names && fake.names[i]; i++) {
		if (strcmp(fake.names[i], args->name) > 0) {
			memset(args->name, 0, sizeof(args->name));
			strcpy(args->name, fake.names[i]);
			args->bytes = 4096 * (i + 1);
			args->uid = 1000 + i;
			args->gid = 2000 + i;
			args->mode = 0640;
			return 0;
		}
	}
	return -ENOENT;
}

static int do_info(struct gloom_info *args, bool readable)
{
	const __u32 flags = args->flags;
	unsigned int i, j;

	if (args->size != sizeof(*args) || flags & ~GLOOM_INFO_FLAGS)
		return -EINVAL;
	if (flags && !readable)
		return -EBADF;
	*args = (struct gloom_info){
		.size = args->size,
		.flags = flags,
		.k = fake.created.k,
		.nr_blocks = fake.created.nr_blocks,
		.hash = fake.created.hash,
		.layout = fake.created.layout,
		.capacity = fake.created.capacity,
		.fpr = fake.created.fpr,
		.bytes = sizeof(fake.blocks),
		.generation = 1,
		.id = 4711,
		.node = -1,
	};
	memcpy(args->name, fake.created.name, sizeof(args->name));
	if (readable || fake.created.hash != GLOOM_HASH_XXH64) {
		args->valid |= GLOOM_INFO_SEED;
		args->seed = fake.created.seed;
	}
	if (readable) {
		args->valid |= GLOOM_INFO_COUNTERS;
		args->adds = fake.adds;
		args->adds_new = fake.adds_new;
		args->tests = fake.tests;
		args->positives = fake.positives;
	}
	if (flags) {
		args->valid |= GLOOM_INFO_BITS_SET;
		for (i = 0; i < FAKE_BLOCKS; i++) {
			for (j = 0; j < 512; j++)
				args->bits_set +=
					gloom_bit_get(&fake.blocks[i], j);
		}
	}
	return 0;
}

static unsigned int probe(unsigned int op, __u64 hash)
{
	struct gloom_block *block =
		&fake.blocks[gloom_block_index(hash, fake.created.nr_blocks)];
	const unsigned int k = fake.created.k;
	unsigned int result;

	if (op == GLOOM_OP_TEST) {
		result = gloom_block_test(block, gloom_block_hash(hash), k);
		fake.tests++;
		fake.positives += result;
	} else {
		result = gloom_block_add(block, gloom_block_hash(hash), k);
		fake.adds++;
		fake.adds_new += result;
	}
	return result;
}

static bool may(unsigned int op, bool readable, bool writable)
{
	return (op == GLOOM_OP_ADD || readable) &&
	       (op == GLOOM_OP_TEST || writable);
}

static bool keys_fit(unsigned int flags)
{
	return !!(flags & GLOOM_KEYS_HASHED) ==
	       (fake.created.hash != GLOOM_HASH_XXH64);
}

/* In 32-bit programs the upper half of a pointer is 0, not a sign. */
static bool pointer_fits(__u64 pointer)
{
	return pointer <= UINTPTR_MAX;
}

static int do_key(struct gloom_key *args, unsigned int op, bool readable,
		  bool writable)
{
	__u64 hash = args->key;
	unsigned int result;

	if (args->size != sizeof(*args) || args->flags & ~GLOOM_KEYS_FLAGS)
		return -EINVAL;
	if (!may(op, readable, writable))
		return -EBADF;
	if (!keys_fit(args->flags))
		return -EOPNOTSUPP;
	if (args->flags & GLOOM_KEYS_HASHED) {
		if (args->len)
			return -EINVAL;
	} else {
		const void *key = (void *)(uintptr_t)args->key;

		if (args->len > GLOOM_KEY_MAX)
			return -EMSGSIZE;
		if ((!key && args->len) || !pointer_fits(args->key))
			return -EFAULT;
		hash = XXH64(key ? key : "", args->len, fake.created.seed);
	}
	result = probe(op, hash);
	args->result = readable ? result : 0;
	return 0;
}

static int batch_check(const struct gloom_batch *args, bool readable,
		       bool writable)
{
	if (args->size != sizeof(*args) || args->flags & ~GLOOM_KEYS_FLAGS ||
	    args->reserved || !args->op || args->op > GLOOM_OP_TEST_ADD)
		return -EINVAL;
	if (!may(args->op, readable, writable) || (args->results && !readable))
		return -EBADF;
	if (!keys_fit(args->flags))
		return -EOPNOTSUPP;
	if (args->key_size > GLOOM_KEY_MAX ||
	    (args->flags & GLOOM_KEYS_HASHED && args->key_size != 8))
		return -EINVAL;
	if (args->key_size &&
	    (args->lens ||
	     args->keys_size != (__u64)args->nr_keys * args->key_size))
		return -EINVAL;
	if (!pointer_fits(args->keys) || !pointer_fits(args->lens) ||
	    !pointer_fits(args->results))
		return -EFAULT;
	return 0;
}

static int do_batch(struct gloom_batch *args, bool readable, bool writable)
{
	const char *key = (void *)(uintptr_t)args->keys;
	const __u32 *lens = (void *)(uintptr_t)args->lens;
	__u8 *results = (void *)(uintptr_t)args->results;
	__u64 left = args->keys_size;
	unsigned int i, nr = args->nr_keys;
	int err;

	fake.calls++;
	err = batch_check(args, readable, writable);
	if (err)
		return err;
	if (fake.keys_per_call && nr > fake.keys_per_call)
		nr = fake.keys_per_call;
	args->nr_positive = 0;
	for (i = 0; i < nr && !err; i++) {
		__u32 len = args->key_size ? args->key_size : lens[i];
		unsigned int result;
		__u64 hash;

		if (len > GLOOM_KEY_MAX)
			err = -EMSGSIZE;
		else if (len > left)
			err = -EINVAL;
		else if (len && !key)
			err = -EFAULT;
		if (err)
			break;
		if (args->flags & GLOOM_KEYS_HASHED)
			memcpy(&hash, key, sizeof(hash));
		else
			hash = XXH64(key ? key : "", len,
				     fake.created.seed);
		result = probe(args->op, hash);
		args->nr_positive += readable ? result : 0;
		if (results && i % 8 == 0)
			results[i / 8] = 0;
		if (results)
			results[i / 8] |= result << i % 8;
		if (len)
			key += len;
		left -= len;
	}
	args->nr_done = i;
	return i ? 0 : err;
}

static int do_device(unsigned int command, void *args)
{
	switch (command) {
	case GLOOM_IOC_QUERY:
		return do_query(args);
	case GLOOM_IOC_CREATE:
		return do_create(args);
	case GLOOM_IOC_OPEN:
		return do_open(args);
	case GLOOM_IOC_UNLINK:
		return do_unlink(args);
	case GLOOM_IOC_NEXT:
		return do_next(args);
	}
	return -ENOTTY;
}

static int do_filter(int fd, unsigned int command, void *args)
{
	const int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
	const bool readable = mode != O_WRONLY, writable = mode != O_RDONLY;

	switch (command) {
	case GLOOM_IOC_INFO:
		return do_info(args, readable);
	case GLOOM_IOC_ADD:
		return do_key(args, GLOOM_OP_ADD, readable, writable);
	case GLOOM_IOC_TEST:
		return do_key(args, GLOOM_OP_TEST, readable, writable);
	case GLOOM_IOC_BATCH:
		return do_batch(args, readable, writable);
	}
	return -ENOTTY;
}

int __wrap_ioctl(int fd, unsigned long command, ...)
{
	const unsigned int number = command & 0xff;
	va_list list;
	void *args;
	int err;

	va_start(list, command);
	args = va_arg(list, void *);
	va_end(list);

	if (number < FAKE_COMMANDS && fake.errors[number] &&
	    fake.error_after-- <= 0)
		err = -fake.errors[number];
	else if (same_file(fd, device_file))
		err = do_device(command, args);
	else if (same_file(fd, filter_file))
		err = do_filter(fd, command, args);
	else
		return __real_ioctl(fd, command, args);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}
