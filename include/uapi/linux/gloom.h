/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * gloom: Bloom filters in kernel memory, shared between processes.
 *
 * Two kinds of file take these ioctls: the device /dev/gloom, and the filter
 * files that GLOOM_IOC_CREATE and GLOOM_IOC_OPEN return.
 *
 * Rules that hold for every command:
 *
 * - The command numbers carry no size (_IO). The argument is a structure whose
 *   first member, @size, is its size as the program knows it. Structures grow
 *   at the end only. A size below the first published one is EINVAL, above a
 *   page E2BIG. A program built with a newer header than the kernel may pass a
 *   larger structure as long as all that the kernel does not know is zero;
 *   otherwise the call fails with E2BIG. Numbers are never reused.
 * - Unknown flags and non-zero reserved members are EINVAL.
 * - Success is 0. All results, file descriptors included, are written to the
 *   structure; members documented as "out" are ignored on entry.
 * - A call that fails changes nothing, but for "out" members and results in the
 *   caller's memory. A bad pointer is EFAULT, an unknown command ENOTTY.
 * - The link in /proc/PID/fd of a filter file reads gloom:NAME, or gloom:[ID]
 *   without a name; ENAMETOOLONG if the kernel's buffer for it is too small.
 * - All members have the same size and place for 32-bit and 64-bit programs;
 *   pointers are passed as __u64. Integers are in the CPU's byte order.
 */
#ifndef _UAPI_LINUX_GLOOM_H
#define _UAPI_LINUX_GLOOM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface; see struct gloom_query. */
#define GLOOM_ABI		1

/* 0xBD is not registered in the kernel's table of ioctl numbers. */
#define GLOOM_IOC_MAGIC		0xBD

/* Commands of /dev/gloom */
#define GLOOM_IOC_QUERY		_IO(GLOOM_IOC_MAGIC, 0x00)
#define GLOOM_IOC_CREATE	_IO(GLOOM_IOC_MAGIC, 0x01)
#define GLOOM_IOC_OPEN		_IO(GLOOM_IOC_MAGIC, 0x02)
#define GLOOM_IOC_UNLINK	_IO(GLOOM_IOC_MAGIC, 0x03)
#define GLOOM_IOC_NEXT		_IO(GLOOM_IOC_MAGIC, 0x04)

/* Commands of a filter file */
#define GLOOM_IOC_INFO		_IO(GLOOM_IOC_MAGIC, 0x20)
#define GLOOM_IOC_ADD		_IO(GLOOM_IOC_MAGIC, 0x21)
#define GLOOM_IOC_TEST		_IO(GLOOM_IOC_MAGIC, 0x22)
#define GLOOM_IOC_BATCH		_IO(GLOOM_IOC_MAGIC, 0x23)

/* Size of a name with its terminating NUL. */
#define GLOOM_NAME_SIZE		64

/* Longest key, in bytes. The shortest has none. */
#define GLOOM_KEY_MAX		4096

/* Most bits a key sets. */
#define GLOOM_K_MAX		16

/* Most blocks a filter can have: 256 GiB. Module parameters allow less. */
#define GLOOM_BLOCKS_MAX	(1ULL << 32)

/* Size and alignment of a block, in bytes. */
#define GLOOM_BLOCK_SIZE	64

/*
 * Hash kinds. Part of a filter's geometry.
 *
 * XXH64: programs pass keys, the kernel computes h = XXH64(key, seed).
 * XXH3: programs pass h = XXH3_64bits_withSeed(key, seed), not the key. About
 *	twice as fast for keys of 16 to 128 bytes, and 8 bytes to copy.
 * PREHASHED: programs pass the result of a 64-bit hash function of their own.
 *	All 64 bits must be well mixed. The seed is kept for their use.
 */
#define GLOOM_HASH_XXH64	1
#define GLOOM_HASH_XXH3		2
#define GLOOM_HASH_PREHASHED	3

/*
 * Layouts. Part of a filter's geometry.
 *
 * 1: block = high 64 bits of h * nr_blocks; in partition i of that block the
 *	bit (h mod 2^32) mod size_i. The sizes are in <gloom/partitions.h>; bit
 *	b of a block is bit b % 8 of its byte b / 8 on every machine.
 */
#define GLOOM_LAYOUT_1		1

/* Bits of &struct gloom_query.features; none is defined yet. */
#define GLOOM_FEATURES		0ULL

/**
 * struct gloom_query - what this kernel can do (GLOOM_IOC_QUERY)
 *
 * No permission beyond an open /dev/gloom is needed.
 */
struct gloom_query {
	/** @size: sizeof(struct gloom_query) */
	__u32 size;
	/** @flags: must be 0 */
	__u32 flags;
	/** @abi: out: GLOOM_ABI of the module; rises when commands are added */
	__u32 abi;
	/** @key_max: out: longest key in bytes */
	__u32 key_max;
	/** @features: out: optional parts that are present, GLOOM_FEATURE_* */
	__u64 features;
	/** @hashes: out: bit n is set when hash kind n is known */
	__u32 hashes;
	/** @layouts: out: bit n is set when layout n is known */
	__u32 layouts;
	/** @max_filter_bytes: out: most block memory of one filter, in bytes */
	__u64 max_filter_bytes;
	/** @max_total_bytes: out: most block memory of all filters, in bytes */
	__u64 max_total_bytes;
	/** @total_bytes: out: block memory of all filters now, in bytes */
	__u64 total_bytes;
	/** @max_filters: out: most filters that may exist */
	__u32 max_filters;
	/** @nr_filters: out: filters that exist now, anonymous ones included */
	__u32 nr_filters;
};

/* Flags of struct gloom_create */

/* The kernel chooses the seed; @seed must be 0. */
#define GLOOM_CREATE_RANDOM_SEED	(1U << 0)
/* Prefer memory of NUMA node @node; without it @node must be 0. */
#define GLOOM_CREATE_NODE		(1U << 1)
#define GLOOM_CREATE_FLAGS	(GLOOM_CREATE_RANDOM_SEED | GLOOM_CREATE_NODE)

/**
 * struct gloom_create - make a filter (GLOOM_IOC_CREATE)
 *
 * The new filter is empty and belongs to the caller's fsuid and fsgid. The
 * returned file is open for reading and writing, whatever @mode says.
 *
 * An anonymous filter is freed with the last file that refers to it. A named
 * one also when it has been unlinked; until then it keeps the module loaded.
 *
 * Errors: EINVAL (a member out of its range), EEXIST (the name is taken),
 * ENOSPC (a module parameter's limit would be passed), ENOMEM (no memory, or
 * the memory cgroup's limit would be passed), EMFILE, ENFILE, EFAULT, E2BIG.
 */
struct gloom_create {
	/** @size: sizeof(struct gloom_create) */
	__u32 size;
	/** @flags: GLOOM_CREATE_* */
	__u32 flags;
	/** @nr_blocks: number of 64-byte blocks, 1 to GLOOM_BLOCKS_MAX */
	__u64 nr_blocks;
	/** @k: bits that a key sets, 1 to GLOOM_K_MAX */
	__u32 k;
	/** @hash: hash kind, GLOOM_HASH_* */
	__u32 hash;
	/** @layout: GLOOM_LAYOUT_1 */
	__u32 layout;
	/** @mode: permission bits, within 0666; the umask is not applied */
	__u32 mode;
	/** @seed: seed of the hash; any value */
	__u64 seed;
	/** @capacity: keys it is sized for, or 0; kept and reported only */
	__u64 capacity;
	/**
	 * @fpr: false positive rate asked for, in units of 2^-64, or 0; kept
	 * and reported only
	 */
	__u64 fpr;
	/** @node: NUMA node, with GLOOM_CREATE_NODE */
	__u32 node;
	/** @fd: out: the filter file, close-on-exec */
	__s32 fd;
	/**
	 * @name: all zero for an anonymous filter; else 1 to 63 of the
	 * characters A-Z a-z 0-9 . _ : @ + - not beginning with . or -, then
	 * zeroes to the end
	 */
	char name[GLOOM_NAME_SIZE];
};

/* Flags of struct gloom_open: at least one */
#define GLOOM_OPEN_READ		(1U << 0)
#define GLOOM_OPEN_WRITE	(1U << 1)
#define GLOOM_OPEN_FLAGS	(GLOOM_OPEN_READ | GLOOM_OPEN_WRITE)

/**
 * struct gloom_open - open a filter by its name (GLOOM_IOC_OPEN)
 *
 * Read permission allows to test, write permission to add. The permission
 * check is that of open(2).
 *
 * Errors: EINVAL (flags, reserved member, no valid name), ENOENT (no such
 * name), EACCES, EMFILE, ENFILE, ENOMEM, EFAULT, E2BIG.
 */
struct gloom_open {
	/** @size: sizeof(struct gloom_open) */
	__u32 size;
	/** @flags: GLOOM_OPEN_* */
	__u32 flags;
	/** @reserved: must be 0 */
	__u32 reserved;
	/** @fd: out: the filter file, close-on-exec */
	__s32 fd;
	/** @name: as in struct gloom_create */
	char name[GLOOM_NAME_SIZE];
};

/**
 * struct gloom_unlink - remove a name (GLOOM_IOC_UNLINK)
 *
 * Needs write permission on the filter. Open files keep the filter alive; the
 * name is free for another at once.
 *
 * Errors: EINVAL (flags, no valid name), ENOENT, EACCES, EFAULT, E2BIG.
 */
struct gloom_unlink {
	/** @size: sizeof(struct gloom_unlink) */
	__u32 size;
	/** @flags: must be 0 */
	__u32 flags;
	/** @name: as in struct gloom_create */
	char name[GLOOM_NAME_SIZE];
};

/**
 * struct gloom_next - iterate over the names (GLOOM_IOC_NEXT)
 *
 * Begin with @name all zero and call again with what the last call returned
 * until it fails with ENOENT. Names come in byte order; one that exists during
 * the whole iteration is returned exactly once. As with stat(2), no permission
 * on the filter is needed.
 *
 * Errors: EINVAL (flags, no valid name), ENOENT (no name after @name), EFAULT,
 * E2BIG.
 */
struct gloom_next {
	/** @size: sizeof(struct gloom_next) */
	__u32 size;
	/** @flags: must be 0 */
	__u32 flags;
	/** @name: in and out */
	char name[GLOOM_NAME_SIZE];
	/** @bytes: out: block memory in bytes */
	__u64 bytes;
	/** @uid: out: owner, in the caller's user namespace */
	__u32 uid;
	/** @gid: out: group, in the caller's user namespace */
	__u32 gid;
	/** @mode: out: permission bits */
	__u32 mode;
	/** @reserved: must be 0 */
	__u32 reserved;
};

/* Bits of struct gloom_info.flags and .valid */

/* Count the bits that are set: takes time in proportion to the memory. */
#define GLOOM_INFO_BITS_SET	(1U << 0)
/* Bits of .valid only */
#define GLOOM_INFO_SEED		(1U << 1)
#define GLOOM_INFO_COUNTERS	(1U << 2)
/* What may be asked for in .flags */
#define GLOOM_INFO_FLAGS	GLOOM_INFO_BITS_SET

/**
 * struct gloom_info - all about a filter (GLOOM_IOC_INFO)
 *
 * Works on any filter file. What would tell a program that may only add
 * whether a key is there is left 0 on files not open for reading: @bits_set
 * and the counters. So is the seed of XXH64 filters, which adding does not
 * need. @valid says what is filled in.
 *
 * Errors: EINVAL (flags), EBADF (GLOOM_INFO_BITS_SET on a file not open for
 * reading), EINTR (a signal came while counting bits), EFAULT, E2BIG.
 */
struct gloom_info {
	/** @size: sizeof(struct gloom_info) */
	__u32 size;
	/** @flags: what to compute beside the rest, GLOOM_INFO_BITS_SET */
	__u32 flags;
	/** @valid: out: which optional members hold a value, GLOOM_INFO_* */
	__u32 valid;
	/** @k: out: bits that a key sets */
	__u32 k;
	/** @nr_blocks: out: number of 64-byte blocks */
	__u64 nr_blocks;
	/** @hash: out: hash kind, GLOOM_HASH_* */
	__u32 hash;
	/** @layout: out: GLOOM_LAYOUT_1 */
	__u32 layout;
	/** @seed: out: seed of the hash */
	__u64 seed;
	/** @capacity: out: as given to GLOOM_IOC_CREATE */
	__u64 capacity;
	/** @fpr: out: as given to GLOOM_IOC_CREATE, in units of 2^-64 */
	__u64 fpr;
	/** @bytes: out: block memory in bytes, whole pages */
	__u64 bytes;
	/** @generation: out: how often the blocks were replaced; 1 when new */
	__u64 generation;
	/**
	 * @id: out: number of the filter, not used twice while the module is
	 * loaded; the inode number
	 */
	__u64 id;
	/** @adds: out: keys added, known ones included */
	__u64 adds;
	/** @adds_new: out: adds that set at least one bit */
	__u64 adds_new;
	/** @tests: out: keys tested */
	__u64 tests;
	/** @positives: out: tests that answered "maybe" */
	__u64 positives;
	/** @bits_set: out: bits set, with GLOOM_INFO_BITS_SET */
	__u64 bits_set;
	/** @node: out: NUMA node asked for, or -1 for any */
	__s32 node;
	/** @reserved: out: 0 */
	__u32 reserved;
	/** @name: out: its name, also after it was unlinked; zero if none */
	char name[GLOOM_NAME_SIZE];
};

/*
 * Flag of struct gloom_key and struct gloom_batch: the keys are 64-bit hashes.
 * Needed with filters of kind XXH3 and PREHASHED, refused with XXH64.
 */
#define GLOOM_KEYS_HASHED	(1U << 0)
#define GLOOM_KEYS_FLAGS	GLOOM_KEYS_HASHED

/**
 * struct gloom_key - one key (GLOOM_IOC_ADD, GLOOM_IOC_TEST)
 *
 * Adding needs a file open for writing, testing one open for reading.
 *
 * Errors: EINVAL (flags, @len with a hash), EBADF (not open for it), EMSGSIZE
 * (@len above GLOOM_KEY_MAX), EOPNOTSUPP (GLOOM_KEYS_HASHED does not fit the
 * filter's hash kind), ENOMEM (long keys only), EFAULT, E2BIG.
 */
struct gloom_key {
	/** @size: sizeof(struct gloom_key) */
	__u32 size;
	/** @flags: GLOOM_KEYS_HASHED or 0 */
	__u32 flags;
	/** @key: pointer to the key; with GLOOM_KEYS_HASHED the hash itself */
	__u64 key;
	/** @len: length of the key in bytes; with GLOOM_KEYS_HASHED 0 */
	__u32 len;
	/**
	 * @result: out: GLOOM_IOC_TEST: 1 maybe, 0 surely not. GLOOM_IOC_ADD: 1
	 * the key was new (this call set a bit), 0 it was not, or the file is
	 * not open for reading. When several processes add a new key at the
	 * same time, at least one of them is told 1.
	 */
	__u32 result;
};

/* Operations of struct gloom_batch */
#define GLOOM_OP_TEST		1
#define GLOOM_OP_ADD		2
/*
 * Add, and among all that do so for one key at one time exactly one is told
 * that it was new (none if a false positive hides the key). Takes a lock per
 * key that the other operations do not look at; needs a file open for reading
 * and writing. Counted as an add.
 */
#define GLOOM_OP_TEST_ADD	3

/**
 * struct gloom_batch - many keys (GLOOM_IOC_BATCH)
 *
 * Keys are taken in order. The call ends early when a signal is pending or when
 * a key cannot be taken: then @nr_done is below @nr_keys, the keys before it
 * are done and their results valid. If not even the first could be taken the
 * call fails instead, so calling again for the rest tells the reason. A signal
 * ends it only after a multiple of 8 keys, and not before some are done.
 *
 * Memory at @results that another thread unmaps during the call loses answers:
 * the keys of up to one window (256) are then done but not counted.
 *
 * Errors, all for the first key only: EFAULT, EMSGSIZE (longer than
 * GLOOM_KEY_MAX), EINVAL (it ends behind @keys_size). Errors of the whole call:
 * EINVAL (flags, op, sizes, reserved member), EBADF (not open for it; or
 * @results of an add on a file not open for reading), EOPNOTSUPP
 * (GLOOM_KEYS_HASHED does not fit the filter's hash kind), ENOMEM, EFAULT,
 * E2BIG.
 */
struct gloom_batch {
	/** @size: sizeof(struct gloom_batch) */
	__u32 size;
	/** @flags: GLOOM_KEYS_HASHED or 0 */
	__u32 flags;
	/** @op: GLOOM_OP_* */
	__u32 op;
	/**
	 * @key_size: size of each key in bytes, 1 to GLOOM_KEY_MAX; 8 with
	 * GLOOM_KEYS_HASHED; or 0 when @lens gives the length of each
	 */
	__u32 key_size;
	/** @nr_keys: number of keys; may be 0 */
	__u32 nr_keys;
	/** @nr_done: out: keys done, counted from the first */
	__u32 nr_done;
	/**
	 * @nr_positive: out: keys done whose result is 1; 0 for an add on a
	 * file not open for reading
	 */
	__u32 nr_positive;
	/** @reserved: must be 0 */
	__u32 reserved;
	/** @keys: pointer to the keys, one behind the other */
	__u64 keys;
	/** @keys_size: bytes at @keys; @nr_keys * @key_size if that is not 0 */
	__u64 keys_size;
	/** @lens: pointer to @nr_keys __u32 if @key_size is 0, else 0 */
	__u64 lens;
	/**
	 * @results: pointer to (@nr_keys + 7) / 8 bytes or 0: bit i % 8 of byte
	 * i / 8 is what struct gloom_key.result would say of key i. Bits
	 * behind the last key done, up to the end of its byte, are set to 0;
	 * the bytes behind that are left alone.
	 */
	__u64 results;
};

#endif /* _UAPI_LINUX_GLOOM_H */
