/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner contract of the module: what there is, who keeps whom alive, which
 * lock protects what. Read this first.
 *
 * OBJECTS
 *
 *	/dev/gloom	stateless; its ioctls create, open, unlink and list.
 *	filter		an inode of gloom's own pseudo filesystem, so owner,
 *			mode and permission checks are the VFS's.
 *	filter file	an open file of that inode; its ioctls add and test.
 *	table		geometry and block memory of a filter, made with it.
 *	name		an entry of the name tree, leading to a filter.
 *
 * LIFETIME: who pins whom
 *
 *	filter file -> dentry -> inode = filter -> table, counters
 *	name	    -> dentry -> inode
 *	filter file, name, filter -> mount -> superblock -> module
 *
 *	A filter dies when the last file and name that lead to it are gone: its
 *	inode is unhashed and has no link, so that fsnotify lets go of it then
 *	and the VFS evicts it with the last reference. Evicting frees the table.
 *	The memory of the inode itself goes after an RCU grace period; module
 *	exit waits for those with rcu_barrier().
 *
 *	The module is held by the superblock (file_system_type.owner), not by
 *	file_operations.owner alone: __fput() drops the latter before the
 *	dentry, and eviction must not outlive the code. The superblock lives as
 *	long as its mount, and every filter holds a reference to the mount, so
 *	that there is one superblock while there are filters. It is dropped with
 *	the filter's only dentry, and there it is never the last: whoever drops
 *	the last reference to a dentry (a file, a name) holds its own to the
 *	mount until later. It must not be dropped with the inode: fsnotify and
 *	drop_caches hold inodes alone, and the last reference to the mount,
 *	dropped by one of them, would wait for itself.
 *
 *	A name holds a mount reference and so keeps the module loaded: rmmod
 *	cannot lose data, it is told "busy".
 *
 * LOCKS: none is taken under another
 *
 *	names_lock	mutex; the tree of names. No user copy and no table is
 *			made under it, so it is never held for long. The LSM's
 *			permission hooks run under it.
 *	quota_lock	spinlock; the sums that limits are compared with.
 *	stripe locks	spinlocks; test-and-add against test-and-add, one block
 *			each. Plain adds and tests take no lock.
 *
 *	The VFS's own locks (i_rwsem around setattr) are outside of all these.
 *
 * MEMORY ORDER: an add that returned is seen by every test that begins later
 *
 *	However the two callers know of "returned" and "later", even by a
 *	relaxed flag in shared memory:
 *	(A) Adding ends with smp_mb(): the bits this call set, and those it
 *	    found set by others, are ordered before all that its caller does
 *	    next. (smp_mb() is cumulative, so the found ones count too.)
 *	(T) Testing begins with smp_rmb(): the reads of bits are ordered behind
 *	    all reads that its caller did before.
 *	(A) pairs with (T). Both are in probe.c, once per group of keys.
 */
#ifndef GLOOM_KMOD_H
#define GLOOM_KMOD_H

#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <uapi/linux/gloom.h>

#include <gloom/core.h>

#include "limits.h"

/*
 * For what a filter keeps: charged to the creator's memory cgroup, and where it
 * may be large given up rather than have the OOM killer look for a victim.
 * NOWARN, here and for buffers: users may ask for too much without a word in
 * the log.
 */
#define GLOOM_GFP	\
	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
#define GLOOM_GFP_BUFFER	(GFP_KERNEL | __GFP_NOWARN)

static_assert(sizeof(struct gloom_block) == GLOOM_BLOCK_SIZE);
static_assert(GLOOM_WINDOW_BYTES >= GLOOM_KEY_MAX);
static_assert(GLOOM_WINDOW_KEYS % GLOOM_GROUP_KEYS == 0);
static_assert(GLOOM_GROUP_KEYS == 32);	/* answers fill a u32 */

/* Sizes that were published first are for ever the least that is accepted. */
#define GLOOM_QUERY_SIZE_VER0	64
#define GLOOM_CREATE_SIZE_VER0	128
#define GLOOM_OPEN_SIZE_VER0	80
#define GLOOM_UNLINK_SIZE_VER0	72
#define GLOOM_NEXT_SIZE_VER0	96
#define GLOOM_INFO_SIZE_VER0	192
#define GLOOM_KEY_SIZE_VER0	24
#define GLOOM_BATCH_SIZE_VER0	64

/* While no structure has grown. */
static_assert(sizeof(struct gloom_query) == GLOOM_QUERY_SIZE_VER0);
static_assert(sizeof(struct gloom_create) == GLOOM_CREATE_SIZE_VER0);
static_assert(sizeof(struct gloom_open) == GLOOM_OPEN_SIZE_VER0);
static_assert(sizeof(struct gloom_unlink) == GLOOM_UNLINK_SIZE_VER0);
static_assert(sizeof(struct gloom_next) == GLOOM_NEXT_SIZE_VER0);
static_assert(sizeof(struct gloom_info) == GLOOM_INFO_SIZE_VER0);
static_assert(sizeof(struct gloom_key) == GLOOM_KEY_SIZE_VER0);
static_assert(sizeof(struct gloom_batch) == GLOOM_BATCH_SIZE_VER0);

/**
 * struct gloom_geometry - all that decides where a key's bits are
 * @nr_blocks: 1 to GLOOM_BLOCKS_MAX
 * @seed: of the hash
 * @k: 1 to GLOOM_K_MAX
 * @hash: GLOOM_HASH_*
 * @layout: GLOOM_LAYOUT_*
 */
struct gloom_geometry {
	u64 nr_blocks;
	u64 seed;
	u32 k;
	u32 hash;
	u32 layout;
};

/**
 * struct gloom_table - geometry and memory; immutable but for the bits
 * @geo: geometry
 * @blocks: @geo.nr_blocks blocks, zero behind them to the end of the page
 * @bytes: size of the memory, whole pages
 * @node: NUMA node asked for, or NUMA_NO_NODE
 *
 * Bits are only ever set, with atomic operations, by whoever holds a reference
 * to the filter.
 */
struct gloom_table {
	struct gloom_geometry geo;
	struct gloom_block *blocks;
	size_t bytes;
	int node;
};

/**
 * struct gloom_counters - what happened to a filter on one CPU
 * @adds: keys added
 * @adds_new: of these, that set a bit
 * @tests: keys tested
 * @positives: of these, answered "maybe"
 *
 * Written with this_cpu_add() only, so a sum over CPUs may miss what is being
 * added at the moment, and nothing else.
 */
struct gloom_counters {
	u64 adds;
	u64 adds_new;
	u64 tests;
	u64 positives;
};

/**
 * struct gloom_filter - the shared object
 * @inode: identity, owner, mode; its life is the filter's
 * @table: geometry and memory; set before the filter can be found
 * @counters: per CPU
 * @capacity: as given at creation
 * @fpr: as given at creation, in units of 2^-64
 * @name: as given at creation, or empty
 *
 * All but the inode, the bits and the counters is constant once a file of the
 * filter exists.
 */
struct gloom_filter {
	struct inode inode;
	struct gloom_table *table;
	struct gloom_counters __percpu *counters;
	u64 capacity;
	u64 fpr;
	char name[GLOOM_NAME_SIZE];
};

static inline struct gloom_filter *gloom_inode_filter(struct inode *inode)
{
	return container_of(inode, struct gloom_filter, inode);
}

/* main.c: parameters, read once per use */
extern unsigned long gloom_max_filter_bytes;
extern unsigned long gloom_max_total_bytes;
extern unsigned int gloom_max_filters;

/* device.c: the node */
int gloom_device_init(void);
void gloom_device_exit(void);

/* fs.c: the pseudo filesystem whose inodes filters are */
int gloom_fs_init(void);
void gloom_fs_exit(void);
struct file *gloom_fs_create(struct gloom_table *table,
			     const struct gloom_create *args);

/* names.c: the tree of names */
bool gloom_name_valid(const char name[GLOOM_NAME_SIZE]);
bool gloom_name_exists(const char *key);
int gloom_name_add(struct file *file);
struct file *gloom_name_open(const char *key, u32 access);
int gloom_name_unlink(const char *key);
int gloom_name_next(struct gloom_next *args);

/* filter.c: files of filters */
extern const struct file_operations gloom_filter_fops;

/* batch.c: many keys */
int gloom_batch(struct gloom_filter *filter, struct gloom_batch *args);

/* probe.c: hashes against the bits of a table */
void gloom_probe_init(void);
u32 gloom_probe(struct gloom_table *table, u32 op, const u64 *hashes,
		unsigned int nr);

/* table.c: the memory */
struct gloom_table *gloom_table_create(const struct gloom_geometry *geo,
				       int node);
void gloom_table_destroy(struct gloom_table *table);
int gloom_table_count_bits(const struct gloom_table *table, u64 *bits);

/* counters.c */
void gloom_count(struct gloom_filter *filter, u32 op, u64 nr, u64 nr_positive);
void gloom_counters_sum(const struct gloom_filter *filter,
			struct gloom_counters *sum);

/* quota.c: what all filters take together */
struct gloom_usage {
	u64 bytes;
	u32 filters;
};

int gloom_quota_charge(u64 bytes);
void gloom_quota_uncharge(u64 bytes);
struct gloom_usage gloom_quota_usage(void);

/* uarg.c: size-first structures in user memory */
int gloom_uarg_get(void *arg, size_t size, size_t min, void __user *uarg);
int gloom_uarg_put(void __user *uarg, const void *arg, size_t size, u32 usize);

#endif /* GLOOM_KMOD_H */
