/* SPDX-License-Identifier: MIT */
/*
 * libgloom: Bloom filters shared between processes.
 *
 * A filter lives in one of two places: in the kernel (module gloom, shared by
 * all processes that may open it), or in the memory of this process (the local
 * backend, which needs no module). Both have the same bits and give the same
 * answers; the functions below do not care which.
 *
 * Every function that can fail returns a negative errno. Nothing is printed,
 * no global state is kept, no signal is touched.
 *
 * Threads: a handle may be used by any number of threads at once, for all but
 * gloom_close(), which must come after the last use. An add that returned
 * before a test began is seen by that test. fork(): a kernel filter is shared
 * with the child, a local one is copied with the rest of the memory; if there
 * were threads the child must not call gloom_test_and_add() on the copy, as
 * another thread may have been in it.
 */
#ifndef GLOOM_H
#define GLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLOOM_VERSION_MAJOR	0
#define GLOOM_VERSION_MINOR	1
#define GLOOM_VERSION_PATCH	0

/* Version of the library in use, "0.1.0"; for the headers see above. */
const char *gloom_version(void);

/* A filter. */
struct gloom_filter;

/*
 * Hash kinds, with the numbers of <linux/gloom.h>.
 *
 * GLOOM_XXH3 is the default: fastest, and the library does the hashing.
 * GLOOM_XXH64 is hashed by the kernel, so that a program that may only add
 * does not learn the seed. GLOOM_PREHASHED takes the caller's own 64-bit
 * hashes as keys of 8 bytes in the CPU's byte order.
 */
enum gloom_hash {
	GLOOM_XXH64 = 1,
	GLOOM_XXH3 = 2,
	GLOOM_PREHASHED = 3,
};

/* ---- Sizing --------------------------------------------------------- */

/* Blocks a filter can have at most: 2^32, 256 GiB. */
#define GLOOM_BLOCKS_MAX	(1ULL << 32)

/* What a size gives. */
struct gloom_plan {
	uint64_t nr_blocks;	/* 64-byte blocks, 1 to GLOOM_BLOCKS_MAX */
	unsigned int k;		/* bits per key, 1 to 16 */
	uint64_t bytes;		/* nr_blocks * 64 */
	double bits_per_key;	/* bytes * 8 / capacity; 0 for no keys */
	double fpr;		/* false positive rate at capacity, 0 to 1 */
};

/*
 * gloom_fpr - false positive rate of a filter of this size with n keys in it
 *
 * The exact model of a blocked filter: keys per block are Poisson distributed
 * with mean n / nr_blocks, and with j keys in a block a partition of s bits has
 * a given bit set with probability 1 - (1 - 1/s)^j. The rate is the mean over j
 * of the product over the k partitions. (F. Putze, P. Sanders, J. Singler,
 * "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, section 3, with the
 * partition sizes gloom has.)
 *
 * Returns the rate, 0 to 1, or NaN if k or nr_blocks is out of range or n is
 * negative.
 */
double gloom_fpr(uint64_t nr_blocks, unsigned int k, double n);

/*
 * gloom_plan - the smallest filter that holds n keys at a false positive rate
 *
 * @max_k: most bits per key to consider, 1 to 16, or 0 for 16. A smaller k
 *	costs memory and makes probes cheaper.
 *
 * -EINVAL: fpr is not a number above 0 and below 1, or max_k is out of range.
 * -ERANGE: no filter of GLOOM_BLOCKS_MAX blocks or less does it.
 */
int gloom_plan(struct gloom_plan *plan, uint64_t n, double fpr,
	       unsigned int max_k);

/*
 * gloom_plan_memory - the best rate for n keys in at most that many bytes
 *
 * -EINVAL: max_k is out of range. -ERANGE: less than a block's 64 bytes.
 * Memory beyond GLOOM_BLOCKS_MAX blocks is left unused.
 */
int gloom_plan_memory(struct gloom_plan *plan, uint64_t n, uint64_t bytes,
		      unsigned int max_k);

/* ---- Creating and opening ------------------------------------------- */

/* Flags of struct gloom_options */
#define GLOOM_LOCAL		(1U << 0)	/* in this process's memory */
#define GLOOM_SEED		(1U << 1)	/* use .seed; default: random */
#define GLOOM_NODE		(1U << 2)	/* use .node; default: any */

/*
 * What filter to make. Start from GLOOM_OPTIONS_INIT: size tells the library
 * which members the program knows; more may be added at the end.
 *
 * Sized from capacity and fpr, unless nr_blocks and k are both given; then
 * capacity is only kept and fpr is not looked at.
 */
struct gloom_options {
	size_t size;		/* sizeof(struct gloom_options) */
	unsigned int flags;	/* GLOOM_LOCAL | ... */
	unsigned int mode;	/* permission bits, default 0600 */
	uint64_t capacity;	/* keys it is to hold; 0 is allowed */
	double fpr;		/* rate at capacity; default 0.01 */
	enum gloom_hash hash;	/* default GLOOM_XXH3 */
	unsigned int max_k;	/* as in gloom_plan(); default 0 */
	uint64_t nr_blocks;	/* with k: explicit geometry */
	unsigned int k;
	unsigned int node;	/* NUMA node with GLOOM_NODE */
	uint64_t seed;		/* with GLOOM_SEED */
};

#define GLOOM_OPTIONS_INIT {						\
	sizeof(struct gloom_options), 0, 0600, 0, 0.01, GLOOM_XXH3,	\
	0, 0, 0, 0, 0							\
}

/*
 * gloom_create - make an empty filter
 *
 * @name: NULL for an anonymous filter, which lives as long as a process has it
 *	open; else the name others find it by, which lives until gloom_unlink().
 *	Local filters have no name.
 * @options: NULL for the defaults.
 *
 * -EINVAL: an option is out of range, or a name for a local filter.
 * -ERANGE: too large to be planned. -EEXIST: the name is taken.
 * -ENOMEM, -ENOSPC: no memory; a limit of the module.
 * -ENOENT: no /dev/gloom, the module is not loaded. -EACCES: no permission
 * to use it. -EPROTO: /dev/gloom is not gloom's, or of another ABI.
 */
int gloom_create(struct gloom_filter **filter, const char *name,
		 const struct gloom_options *options);

#define GLOOM_READ		(1U << 0)	/* may test */
#define GLOOM_WRITE		(1U << 1)	/* may add */

/*
 * gloom_open - open a filter by its name
 *
 * @access: GLOOM_READ, GLOOM_WRITE or both.
 *
 * -ENXIO: no filter has that name. -EACCES: no permission for it or for
 * /dev/gloom. -EINVAL: no access asked for, or not a name. -ENOENT, -EPROTO: as
 * for gloom_create().
 */
int gloom_open(struct gloom_filter **filter, const char *name,
	       unsigned int access);

/*
 * gloom_open_fd - use a filter file got by inheritance or SCM_RIGHTS
 *
 * The handle keeps a duplicate of fd. -ENOTTY: fd is not a filter.
 */
int gloom_open_fd(struct gloom_filter **filter, int fd);

/* File descriptor of a kernel filter, valid until gloom_close(); or -EBADF. */
int gloom_fd(const struct gloom_filter *filter);

/* End the use of a handle. NULL is allowed. */
void gloom_close(struct gloom_filter *filter);

/*
 * gloom_unlink - remove a name; those who have the filter open keep it
 *
 * -EACCES: no write permission. Others as for gloom_open().
 */
int gloom_unlink(const char *name);

/* One entry of gloom_list(). */
struct gloom_entry {
	char name[64];
	uint64_t bytes;		/* block memory */
	uint32_t uid, gid;
	uint32_t mode;		/* permission bits */
};

/*
 * gloom_list - call a function for each name, in byte order
 *
 * Stops when it returns other than 0 and returns that; 0 at the end.
 */
int gloom_list(int (*function)(const struct gloom_entry *entry, void *arg),
	       void *arg);

/* ---- Adding and testing --------------------------------------------- */

/* Longest key in bytes. */
#define GLOOM_KEY_MAX		4096

/*
 * gloom_add - add a key
 *
 * Returns 1 if the key was new, 0 if not or if the handle may not test.
 * -EBADF: the handle may not add. -EMSGSIZE: longer than GLOOM_KEY_MAX.
 * -EINVAL: not 8 bytes, for GLOOM_PREHASHED. -EFAULT: NULL and len is not 0.
 */
int gloom_add(struct gloom_filter *filter, const void *key, size_t len);

/*
 * gloom_test - is a key in the filter?
 *
 * Returns 1 for maybe, 0 for surely not. Errors as for gloom_add().
 */
int gloom_test(struct gloom_filter *filter, const void *key, size_t len);

/*
 * gloom_test_and_add - add a key; exactly one caller is told that it was new
 *
 * Of all that race to call this (not gloom_add()) with one key, exactly one
 * gets 1, or none if a false positive hides the key.
 */
int gloom_test_and_add(struct gloom_filter *filter, const void *key,
		       size_t len);

enum gloom_op {
	GLOOM_TEST = 1,
	GLOOM_ADD = 2,
	GLOOM_TEST_AND_ADD = 3,
};

/*
 * Many keys, one behind the other at data: nr of key_size bytes each, or, if
 * key_size is 0, of the lengths that lens gives. No alignment is needed.
 */
struct gloom_keys {
	const void *data;
	size_t nr;
	size_t key_size;
	const uint32_t *lens;
};

/*
 * gloom_batch - one operation on many keys
 *
 * @results: NULL, or (nr + 7) / 8 bytes: bit i % 8 of byte i / 8 becomes what
 *	the single operation would return for key i.
 * @positives: NULL, or where to count the keys with result 1.
 *
 * Returns the number of keys done, from the first: all of them, or fewer when
 * a signal came (then a multiple of 8) or a key was bad. An error is returned
 * only when no key was done; call again for the rest to learn the reason.
 *
 * -EINVAL: not an operation, or neither key_size nor lens. -EFAULT: keys at
 * NULL; kernel filters notice other bad pointers too, but for keys that the
 * library hashes. Others as for gloom_add().
 */
int64_t gloom_batch(struct gloom_filter *filter, enum gloom_op op,
		    const struct gloom_keys *keys, uint8_t *results,
		    uint64_t *positives);

/* ---- Looking at a filter -------------------------------------------- */

/* Flags of gloom_info() */
#define GLOOM_COUNT_BITS	(1U << 0)	/* bits_set: reads it all */

/*
 * All about a filter. On handles that may not test, what would tell whether
 * a key is in it is 0: counters and bits_set, and the seed of GLOOM_XXH64.
 */
struct gloom_filter_info {
	size_t size;		/* in: sizeof(struct gloom_filter_info) */
	bool local;
	bool has_seed, has_counters, has_bits_set;
	uint64_t nr_blocks;
	unsigned int k;
	enum gloom_hash hash;
	unsigned int layout;
	int node;		/* NUMA node, -1 for any */
	uint64_t seed;
	uint64_t capacity;	/* asked for */
	double fpr;		/* asked for; 0 if the size was explicit */
	uint64_t bytes;		/* memory taken */
	uint64_t generation;
	uint64_t id;		/* not used twice; 0 if local */
	uint64_t adds, adds_new, tests, positives;
	uint64_t bits_set;
	char name[64];		/* "" if anonymous */
};

/*
 * gloom_info - what is known about a filter
 *
 * -EINVAL: unknown flags, or info->size is not set. -EINTR: a signal came while
 * bits were counted.
 */
int gloom_info(struct gloom_filter *filter, unsigned int flags,
	       struct gloom_filter_info *info);

/* What the module allows and uses. */
struct gloom_limits {
	size_t size;		/* in: sizeof(struct gloom_limits) */
	unsigned int abi;
	uint64_t max_filter_bytes, max_total_bytes, total_bytes;
	uint32_t max_filters, nr_filters;
};

/* Errors as for gloom_info() and gloom_create(). */
int gloom_limits(struct gloom_limits *limits);

/*
 * gloom_strerror - what an error of this library means, in a sentence
 *
 * Unlike strerror(3) it knows what went wrong with gloom: that the module is
 * not loaded, that a limit was met. A constant string.
 */
const char *gloom_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* GLOOM_H */
