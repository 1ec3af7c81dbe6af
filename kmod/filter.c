// SPDX-License-Identifier: GPL-2.0
/* Files of filters: what their ioctls do, and who may do what. */

#include <linux/module.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/xxhash.h>

#include "gloom.h"

/* What a file may do follows from how it was opened, as with read(2). */
static bool may_read(fmode_t mode)
{
	return mode & FMODE_READ;
}

static bool may_write(fmode_t mode)
{
	return mode & FMODE_WRITE;
}

/* Does the caller pass hashes where the filter wants them, keys elsewhere? */
static bool keys_fit(const struct gloom_filter *filter, u32 flags)
{
	bool hashed = flags & GLOOM_KEYS_HASHED;

	return hashed == (filter->table->geo.hash != GLOOM_HASH_XXH64);
}

/*
 * What would let a program that may only add find out what is in the filter is
 * for readers. So is the seed, where adding works without.
 */
static int filter_info(struct gloom_filter *filter, fmode_t mode,
		       struct gloom_info *info)
{
	const struct gloom_table *table = filter->table;
	const u32 size = info->size, flags = info->flags;
	int err;

	if (flags & ~GLOOM_INFO_FLAGS)
		return -EINVAL;
	if ((flags & GLOOM_INFO_BITS_SET) && !may_read(mode))
		return -EBADF;

	*info = (struct gloom_info){
		.size = size,
		.flags = flags,
		.k = table->geo.k,
		.nr_blocks = table->geo.nr_blocks,
		.hash = table->geo.hash,
		.layout = table->geo.layout,
		.capacity = filter->capacity,
		.fpr = filter->fpr,
		.bytes = table->bytes,
		.generation = 1,
		.id = filter->inode.i_ino,
		.node = table->node,
	};
	memcpy(info->name, filter->name, sizeof(info->name));

	if (may_read(mode) || table->geo.hash != GLOOM_HASH_XXH64) {
		info->seed = table->geo.seed;
		info->valid |= GLOOM_INFO_SEED;
	}
	if (may_read(mode)) {
		struct gloom_counters sum;

		gloom_counters_sum(filter, &sum);
		info->adds = sum.adds;
		info->adds_new = sum.adds_new;
		info->tests = sum.tests;
		info->positives = sum.positives;
		info->valid |= GLOOM_INFO_COUNTERS;
	}
	if (flags & GLOOM_INFO_BITS_SET) {
		err = gloom_table_count_bits(table, &info->bits_set);
		if (err)
			return err;
		info->valid |= GLOOM_INFO_BITS_SET;
	}
	return 0;
}

static int hash_user_key(const struct gloom_table *table, u64 ukey, u32 len,
			 u64 *hash)
{
	u8 on_stack[GLOOM_KEY_ON_STACK];
	u8 *key = on_stack;
	int err = 0;

	if (len > GLOOM_KEY_MAX)
		return -EMSGSIZE;
	if (len > sizeof(on_stack)) {
		key = kmalloc(len, GLOOM_GFP_BUFFER);
		if (!key)
			return -ENOMEM;
	}
	if (copy_from_user(key, u64_to_user_ptr(ukey), len))
		err = -EFAULT;
	else
		*hash = xxh64(key, len, table->geo.seed);
	if (key != on_stack)
		kfree(key);
	return err;
}

/* Checks all but the pointers of a key, and finds its hash. */
static int key_hash(const struct gloom_filter *filter, fmode_t mode, u32 op,
		    const struct gloom_key *args, u64 *hash)
{
	if (args->flags & ~GLOOM_KEYS_FLAGS)
		return -EINVAL;
	if (op == GLOOM_OP_TEST ? !may_read(mode) : !may_write(mode))
		return -EBADF;
	if (!keys_fit(filter, args->flags))
		return -EOPNOTSUPP;
	if (!(args->flags & GLOOM_KEYS_HASHED))
		return hash_user_key(filter->table, args->key, args->len, hash);
	if (args->len)
		return -EINVAL;
	*hash = args->key;
	return 0;
}

static int batch_check(const struct gloom_filter *filter, fmode_t mode,
		       const struct gloom_batch *args)
{
	if (args->flags & ~GLOOM_KEYS_FLAGS || args->reserved)
		return -EINVAL;

	switch (args->op) {
	case GLOOM_OP_TEST:
		if (!may_read(mode))
			return -EBADF;
		break;
	case GLOOM_OP_ADD:
		if (!may_write(mode) || (args->results && !may_read(mode)))
			return -EBADF;
		break;
	case GLOOM_OP_TEST_ADD:
		if (!may_read(mode) || !may_write(mode))
			return -EBADF;
		break;
	default:
		return -EINVAL;
	}

	if (!keys_fit(filter, args->flags))
		return -EOPNOTSUPP;
	if ((args->flags & GLOOM_KEYS_HASHED) && args->key_size != sizeof(u64))
		return -EINVAL;
	if (args->key_size > GLOOM_KEY_MAX)
		return -EINVAL;
	if (args->key_size &&
	    (args->lens ||
	     args->keys_size != (u64)args->nr_keys * args->key_size))
		return -EINVAL;
	return 0;
}

static long ioctl_info(struct file *file, void __user *uarg)
{
	struct gloom_info args;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_INFO_SIZE_VER0, uarg);
	if (err)
		return err;
	err = filter_info(gloom_inode_filter(file_inode(file)), file->f_mode,
			  &args);
	if (err)
		return err;
	return gloom_uarg_put(uarg, &args, sizeof(args), args.size);
}

/*
 * User memory is written to before anything is done: a result that cannot be
 * delivered is found out while no bit and no counter has changed.
 */

static long ioctl_key(struct file *file, void __user *uarg, u32 op)
{
	struct gloom_filter *filter = gloom_inode_filter(file_inode(file));
	struct gloom_key __user *ukey = uarg;
	struct gloom_key args;
	u32 result;
	u64 hash;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_KEY_SIZE_VER0, uarg);
	if (err)
		return err;
	err = key_hash(filter, file->f_mode, op, &args, &hash);
	if (err)
		return err;
	if (put_user(args.result, &ukey->result))
		return -EFAULT;

	result = gloom_probe(filter->table, op, &hash, 1);
	gloom_count(filter, op, 1, result);
	if (!may_read(file->f_mode))
		result = 0;
	return put_user(result, &ukey->result);
}

static long ioctl_batch(struct file *file, void __user *uarg)
{
	struct gloom_filter *filter = gloom_inode_filter(file_inode(file));
	struct gloom_batch args;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_BATCH_SIZE_VER0, uarg);
	if (err)
		return err;
	err = batch_check(filter, file->f_mode, &args);
	if (err)
		return err;
	err = gloom_uarg_put(uarg, &args, sizeof(args), args.size);
	if (err)
		return err;

	err = gloom_batch(filter, &args);
	if (err)
		return err;
	if (!may_read(file->f_mode))
		args.nr_positive = 0;
	return gloom_uarg_put(uarg, &args, sizeof(args), args.size);
}

static long filter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case GLOOM_IOC_INFO:
		return ioctl_info(file, uarg);
	case GLOOM_IOC_ADD:
		return ioctl_key(file, uarg, GLOOM_OP_ADD);
	case GLOOM_IOC_TEST:
		return ioctl_key(file, uarg, GLOOM_OP_TEST);
	case GLOOM_IOC_BATCH:
		return ioctl_batch(file, uarg);
	default:
		return -ENOTTY;
	}
}

const struct file_operations gloom_filter_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= filter_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};
