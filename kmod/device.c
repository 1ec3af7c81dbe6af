// SPDX-License-Identifier: GPL-2.0
/* /dev/gloom: asking, creating, opening, unlinking, listing. */

#include <linux/file.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/random.h>
#include <linux/string.h>

#include "gloom.h"

static long ioctl_query(void __user *uarg)
{
	struct gloom_usage usage = gloom_quota_usage();
	struct gloom_query args;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_QUERY_SIZE_VER0, uarg);
	if (err)
		return err;
	if (args.flags)
		return -EINVAL;

	args = (struct gloom_query){
		.size = args.size,
		.abi = GLOOM_ABI,
		.key_max = GLOOM_KEY_MAX,
		.features = GLOOM_FEATURES,
		.hashes = BIT(GLOOM_HASH_XXH64) | BIT(GLOOM_HASH_XXH3) |
			  BIT(GLOOM_HASH_PREHASHED),
		.layouts = BIT(GLOOM_LAYOUT_1),
		.max_filter_bytes = READ_ONCE(gloom_max_filter_bytes),
		.max_total_bytes = READ_ONCE(gloom_max_total_bytes),
		.total_bytes = usage.bytes,
		.max_filters = READ_ONCE(gloom_max_filters),
		.nr_filters = usage.filters,
	};
	return gloom_uarg_put(uarg, &args, sizeof(args), args.size);
}

/* Last of all, when nothing can fail any more: the file gets its number. */
static int deliver_file(struct file *file, int fd, int err)
{
	if (err) {
		put_unused_fd(fd);
		fput(file);
		return err;
	}
	fd_install(fd, file);
	return 0;
}

static bool node_valid(u32 node)
{
	return node < MAX_NUMNODES && node_state(node, N_MEMORY);
}

static int create_check(const struct gloom_create *args)
{
	if (args->flags & ~GLOOM_CREATE_FLAGS)
		return -EINVAL;
	if (!args->nr_blocks || args->nr_blocks > GLOOM_BLOCKS_MAX)
		return -EINVAL;
	if (!args->k || args->k > GLOOM_K_MAX)
		return -EINVAL;
	if (args->hash < GLOOM_HASH_XXH64 || args->hash > GLOOM_HASH_PREHASHED)
		return -EINVAL;
	if (args->layout != GLOOM_LAYOUT_1)
		return -EINVAL;
	if (args->mode & ~0666)
		return -EINVAL;
	if ((args->flags & GLOOM_CREATE_RANDOM_SEED) && args->seed)
		return -EINVAL;
	if (!(args->flags & GLOOM_CREATE_NODE) && args->node)
		return -EINVAL;
	if ((args->flags & GLOOM_CREATE_NODE) && !node_valid(args->node))
		return -EINVAL;
	if (memchr_inv(args->name, 0, sizeof(args->name)) &&
	    !gloom_name_valid(args->name))
		return -EINVAL;
	return 0;
}

static long ioctl_create(void __user *uarg)
{
	struct gloom_geometry geo;
	struct gloom_create args;
	struct gloom_table *table;
	struct file *file;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_CREATE_SIZE_VER0, uarg);
	if (err)
		return err;
	err = create_check(&args);
	if (err)
		return err;

	/* Only a hint, but it saves allocating a table for nothing. */
	if (args.name[0] && gloom_name_exists(args.name))
		return -EEXIST;

	geo = (struct gloom_geometry){
		.nr_blocks = args.nr_blocks,
		.seed = args.flags & GLOOM_CREATE_RANDOM_SEED ?
			get_random_u64() : args.seed,
		.k = args.k,
		.hash = args.hash,
		.layout = args.layout,
	};
	table = gloom_table_create(&geo, args.flags & GLOOM_CREATE_NODE ?
				   (int)args.node : NUMA_NO_NODE);
	if (IS_ERR(table))
		return PTR_ERR(table);

	file = gloom_fs_create(table, &args);
	if (IS_ERR(file)) {
		gloom_table_destroy(table);
		return PTR_ERR(file);
	}

	args.fd = get_unused_fd_flags(O_CLOEXEC);
	if (args.fd < 0) {
		fput(file);
		return args.fd;
	}
	err = gloom_uarg_put(uarg, &args, sizeof(args), args.size);
	if (!err && args.name[0])
		err = gloom_name_add(file);
	return deliver_file(file, args.fd, err);
}

static long ioctl_open(void __user *uarg)
{
	struct gloom_open args;
	struct file *file;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_OPEN_SIZE_VER0, uarg);
	if (err)
		return err;
	if (!args.flags || args.flags & ~GLOOM_OPEN_FLAGS || args.reserved ||
	    !gloom_name_valid(args.name))
		return -EINVAL;

	file = gloom_name_open(args.name, args.flags);
	if (IS_ERR(file))
		return PTR_ERR(file);
	args.fd = get_unused_fd_flags(O_CLOEXEC);
	if (args.fd < 0) {
		fput(file);
		return args.fd;
	}
	err = gloom_uarg_put(uarg, &args, sizeof(args), args.size);
	return deliver_file(file, args.fd, err);
}

static long ioctl_unlink(void __user *uarg)
{
	struct gloom_unlink args;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_UNLINK_SIZE_VER0, uarg);
	if (err)
		return err;
	if (args.flags || !gloom_name_valid(args.name))
		return -EINVAL;
	return gloom_name_unlink(args.name);
}

static long ioctl_next(void __user *uarg)
{
	struct gloom_next args;
	int err;

	err = gloom_uarg_get(&args, sizeof(args), GLOOM_NEXT_SIZE_VER0, uarg);
	if (err)
		return err;
	if (args.flags || args.reserved)
		return -EINVAL;
	if (memchr_inv(args.name, 0, sizeof(args.name)) &&
	    !gloom_name_valid(args.name))
		return -EINVAL;

	err = gloom_name_next(&args);
	if (err)
		return err;
	return gloom_uarg_put(uarg, &args, sizeof(args), args.size);
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case GLOOM_IOC_QUERY:
		return ioctl_query(uarg);
	case GLOOM_IOC_CREATE:
		return ioctl_create(uarg);
	case GLOOM_IOC_OPEN:
		return ioctl_open(uarg);
	case GLOOM_IOC_UNLINK:
		return ioctl_unlink(uarg);
	case GLOOM_IOC_NEXT:
		return ioctl_next(uarg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor		= MISC_DYNAMIC_MINOR,
	.name		= "gloom",
	.fops		= &device_fops,
	.mode		= 0660,
};

int __init gloom_device_init(void)
{
	return misc_register(&device);
}

void gloom_device_exit(void)
{
	misc_deregister(&device);
}
