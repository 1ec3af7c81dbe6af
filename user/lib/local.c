// SPDX-License-Identifier: MIT
/* Filters in the memory of this process. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gloom/core.h>

#include "hash.h"
#include "lib.h"

/*
 * Keys hashed and prefetched before the first of them is probed. Their answers
 * fit in 32 bits.
 */
#define GROUP_KEYS	32

/* Locks that test-and-add spreads blocks over. */
#define NR_LOCKS	64

/* Counters are kept this many times, so that CPUs do not share a line. */
#define NR_COUNTERS	64

/* Least memory for which huge pages are worth asking for. */
#define HUGE_SIZE	(2UL << 20)

/* A NUMA node must be below this. */
#define NR_NODES	1024

#define LONG_BITS	(8 * sizeof(long))

struct counters {
	_Atomic uint64_t adds, adds_new, tests, positives;
} __aligned(64);

struct local {
	struct gloom_filter filter;	/* first: they have one address */
	struct gloom_block *blocks;
	size_t bytes;			/* mapped there, whole pages */
	uint64_t capacity;
	uint64_t fpr;
	int node;
	pthread_mutex_t locks[NR_LOCKS];
	struct counters counters[NR_COUNTERS];
};

static struct local *to_local(struct gloom_filter *filter)
{
	return (struct local *)filter;
}

struct group {
	unsigned int nr;
	struct gloom_block *blocks[GROUP_KEYS];
	uint64_t hashes[GROUP_KEYS];
};

static __always_inline void group_test(uint32_t *result,
				       const struct group *group,
				       unsigned int k)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		uint32_t hash = gloom_block_hash(group->hashes[i]);

		*result |= (uint32_t)gloom_block_test(group->blocks[i], hash, k)
			   << i;
	}
}

static __always_inline void group_add(uint32_t *result,
				      const struct group *group,
				      unsigned int k)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		uint32_t hash = gloom_block_hash(group->hashes[i]);

		*result |= (uint32_t)gloom_block_add(group->blocks[i], hash, k)
			   << i;
	}
}

/*
 * The lock of a block keeps all other test-and-adds of its keys away. So the
 * first that comes with a key leaves no bit of it for the later ones to set.
 */
static void group_test_and_add(uint32_t *result, const struct group *group,
			       struct local *local)
{
	const unsigned int k = local->filter.k;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		uint32_t hash = gloom_block_hash(group->hashes[i]);
		struct gloom_block *block = group->blocks[i];
		pthread_mutex_t *lock;

		/* Bits are never cleared: what is there needs no lock. */
		if (gloom_block_test(block, hash, k))
			continue;
		lock = &local->locks[(block - local->blocks) % NR_LOCKS];
		pthread_mutex_lock(lock);
		*result |= (uint32_t)gloom_block_add(block, hash, k) << i;
		pthread_mutex_unlock(lock);
	}
}

/*
 * One operation for a group whose hashes are filled in. Returns the answers,
 * key i's in bit i.
 *
 * Of a thread that adds and one that tests later, the second sees the bits of
 * the first even if a relaxed load of a relaxed store told it that the add has
 * returned: the fence (A) comes between the bits and that store, the fence (T)
 * between that load and the bits, and so (A) synchronises with (T). Bits that
 * the add did not set but found set are ordered likewise: (A) comes after the
 * loads that found them, and no load after (T) can return an older value. On
 * x86 neither costs an instruction.
 */
static uint32_t probe(struct local *local, enum gloom_op op,
		      struct group *group)
{
	const unsigned int k = local->filter.k;
	uint32_t result = 0;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		uint64_t index = gloom_block_index(group->hashes[i],
						   local->filter.nr_blocks);

		group->blocks[i] = &local->blocks[index];
		__builtin_prefetch(group->blocks[i]);
	}

	if (op == GLOOM_TEST) {
		/* (T), pairs with (A) below */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		GLOOM_SPECIALIZE_K(k, group_test, &result, group);
	} else {
		if (op == GLOOM_ADD)
			GLOOM_SPECIALIZE_K(k, group_add, &result, group);
		else
			group_test_and_add(&result, group, local);
		/* (A), pairs with (T) above */
		__atomic_thread_fence(__ATOMIC_RELEASE);
	}
	return result;
}

static void count(_Atomic uint64_t *counter, uint64_t nr)
{
	atomic_fetch_add_explicit(counter, nr, memory_order_relaxed);
}

static uint64_t counted(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A thread that is moved to another CPU just now only shares a line. */
static void count_keys(struct local *local, enum gloom_op op, uint64_t nr,
		       uint64_t positive)
{
	unsigned int cpu = sched_getcpu();
	struct counters *counters = &local->counters[cpu % NR_COUNTERS];

	count(op == GLOOM_TEST ? &counters->tests : &counters->adds, nr);
	if (positive)
		count(op == GLOOM_TEST ? &counters->positives :
					 &counters->adds_new, positive);
}

static int local_single(struct gloom_filter *filter, enum gloom_op op,
			const void *key, size_t len)
{
	struct local *local = to_local(filter);
	struct group group;
	uint32_t result;

	group.nr = 1;
	group.hashes[0] = gloom_key_hash(filter->hash, filter->seed, key, len);
	result = probe(local, op, &group);
	count_keys(local, op, 1, result);
	return result;
}

/* The answers of a group as bytes of the bitmap, the lowest bits first. */
static void put_results(uint8_t *results, uint32_t result, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i += 8)
		results[i / 8] = result >> i;
}

static int64_t local_batch(struct gloom_filter *filter, enum gloom_op op,
			   const struct gloom_keys *keys, uint8_t *results,
			   uint64_t *positives)
{
	struct local *local = to_local(filter);
	struct gloom_cursor cursor = { .rest = *keys };
	struct group group;
	uint64_t positive = 0;
	int64_t done = 0;

	do {
		uint32_t result;

		group.nr = gloom_take_hashes(&cursor, filter->hash,
					     filter->seed, group.hashes,
					     GROUP_KEYS);
		result = probe(local, op, &group);
		if (results)
			put_results(results + done / 8, result, group.nr);
		positive += __builtin_popcount(result);
		done += group.nr;
	} while (cursor.rest.nr && !cursor.err);

	count_keys(local, op, done, positive);
	*positives += positive;
	return done ? done : cursor.err;
}

static uint64_t count_bits(const struct local *local)
{
	const unsigned long *word = local->blocks->word;
	const unsigned long *end = local->blocks[local->filter.nr_blocks].word;
	uint64_t bits = 0;

	for (; word < end; word++)
		bits += __builtin_popcountl(__atomic_load_n(word,
							    __ATOMIC_RELAXED));
	return bits;
}

static int local_info(struct gloom_filter *filter, struct gloom_info *info)
{
	struct local *local = to_local(filter);
	unsigned int i;

	info->valid = GLOOM_INFO_SEED | GLOOM_INFO_COUNTERS |
		      (info->flags & GLOOM_INFO_BITS_SET);
	info->k = filter->k;
	info->nr_blocks = filter->nr_blocks;
	info->hash = filter->hash;
	info->layout = GLOOM_LAYOUT_1;
	info->seed = filter->seed;
	info->capacity = local->capacity;
	info->fpr = local->fpr;
	info->bytes = local->bytes;
	info->generation = 1;
	info->node = local->node;
	for (i = 0; i < NR_COUNTERS; i++) {
		info->adds += counted(&local->counters[i].adds);
		info->adds_new += counted(&local->counters[i].adds_new);
		info->tests += counted(&local->counters[i].tests);
		info->positives += counted(&local->counters[i].positives);
	}
	if (info->flags & GLOOM_INFO_BITS_SET)
		info->bits_set = count_bits(local);
	return 0;
}

static void local_close(struct gloom_filter *filter)
{
	struct local *local = to_local(filter);
	unsigned int i;

	for (i = 0; i < NR_LOCKS; i++)
		pthread_mutex_destroy(&local->locks[i]);
	munmap(local->blocks, local->bytes);
	free(local);
}

static const struct gloom_ops local_ops = {
	.single = local_single,
	.batch = local_batch,
	.info = local_info,
	.close = local_close,
};

/* The kernel takes pages from that node when they are touched first. */
static int prefer_node(void *memory, size_t bytes, unsigned int node)
{
	unsigned long nodes[NR_NODES / LONG_BITS] = { 0 };

	if (node >= NR_NODES)
		return -EINVAL;
	nodes[node / LONG_BITS] = 1UL << node % LONG_BITS;
	if (syscall(SYS_mbind, memory, bytes, MPOL_PREFERRED, nodes,
		    NR_NODES + 1UL, 0UL))
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	return 0;
}

static int map_blocks(struct local *local, const struct gloom_create *args)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t bytes;
	int err = 0;

	if (__builtin_mul_overflow(args->nr_blocks, GLOOM_BLOCK_SIZE, &bytes) ||
	    __builtin_add_overflow(bytes, page - 1, &bytes))
		return -ENOMEM;
	local->bytes = bytes & ~(page - 1);
	local->blocks = mmap(NULL, local->bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (local->blocks == MAP_FAILED)
		return -ENOMEM;

	/* A wish: without huge pages it is only slower. */
	if (local->bytes >= HUGE_SIZE)
		madvise(local->blocks, local->bytes, MADV_HUGEPAGE);
	if (args->flags & GLOOM_CREATE_NODE)
		err = prefer_node(local->blocks, local->bytes, args->node);
	if (err)
		munmap(local->blocks, local->bytes);
	return err;
}

static int random_seed(uint64_t *seed)
{
	ssize_t got;

	/* Can be interrupted only while the system starts. */
	do {
		got = getrandom(seed, sizeof(*seed), 0);
	} while (got < 0 && errno == EINTR);
	return got == sizeof(*seed) ? 0 : got < 0 ? -errno : -EIO;
}

int gloom_local_create(struct gloom_filter **filter,
		       const struct gloom_create *args)
{
	struct local *local = aligned_alloc(__alignof__(*local),
					    sizeof(*local));
	unsigned int i;
	int err;

	if (!local)
		return -ENOMEM;
	*local = (struct local){
		.filter = {
			.ops = &local_ops,
			.nr_blocks = args->nr_blocks,
			.seed = args->seed,
			.k = args->k,
			.hash = (enum gloom_hash)args->hash,
			.access = GLOOM_READ | GLOOM_WRITE,
			.fd = -EBADF,
		},
		.capacity = args->capacity,
		.fpr = args->fpr,
		.node = args->flags & GLOOM_CREATE_NODE ? (int)args->node : -1,
	};
	for (i = 0; i < NR_LOCKS; i++)
		pthread_mutex_init(&local->locks[i], NULL);

	err = args->flags & GLOOM_CREATE_RANDOM_SEED ?
	      random_seed(&local->filter.seed) : 0;
	if (!err)
		err = map_blocks(local, args);
	if (err) {
		free(local);
		return err;
	}
	*filter = &local->filter;
	return 0;
}
