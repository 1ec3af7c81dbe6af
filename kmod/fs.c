// SPDX-License-Identifier: GPL-2.0
/*
 * The pseudo filesystem whose inodes filters are. Nobody can mount it; it
 * exists to have the VFS keep owners and modes, and count references.
 *
 * The rules of life and death are at the top of gloom.h.
 */

#include <linux/cred.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>

#include "compat.h"
#include "gloom.h"

#define GLOOM_FS_MAGIC	0x676c6f6d	/* "glom" */

static struct kmem_cache *filter_cache;

/* One mount while there are filters; simple_pin_fs() has a lock for both. */
static struct vfsmount *fs_mount;
static int fs_mount_count;

/* Inode numbers are the ids of filters: not used twice, 1 is the root's. */
static atomic64_t last_ino = ATOMIC64_INIT(1);

static struct inode *fs_alloc_inode(struct super_block *sb)
{
	struct gloom_filter *filter;

	filter = alloc_inode_sb(sb, filter_cache, GLOOM_GFP);
	if (!filter)
		return NULL;
	filter->table = NULL;
	filter->counters = NULL;
	filter->name[0] = '\0';
	return &filter->inode;
}

static void fs_free_inode(struct inode *inode)
{
	kmem_cache_free(filter_cache, gloom_inode_filter(inode));
}

static void fs_evict_inode(struct inode *inode)
{
	struct gloom_filter *filter = gloom_inode_filter(inode);

	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	/* The root of the filesystem is no filter. */
	if (!filter->table)
		return;
	free_percpu(filter->counters);
	gloom_table_destroy(filter->table);
}

static const struct super_operations fs_super_ops = {
	.alloc_inode	= fs_alloc_inode,
	.free_inode	= fs_free_inode,
	.evict_inode	= fs_evict_inode,
	.statfs		= simple_statfs,
};

/*
 * A filter's reference to the mount goes with its only dentry, not its inode:
 * whoever drops the last reference to a dentry has one to the mount too, while
 * fsnotify and drop_caches hold inodes alone.
 */
static void fs_release_dentry(struct dentry *dentry, struct inode *inode)
{
	bool is_filter = gloom_inode_filter(inode)->table;

	iput(inode);
	if (is_filter)
		simple_release_fs(&fs_mount, &fs_mount_count);
}

/* What /proc/PID/fd shows. */
static char *fs_name_dentry(struct dentry *dentry, char *buffer, int size)
{
	struct inode *inode = d_inode(dentry);
	struct gloom_filter *filter = gloom_inode_filter(inode);
	char name[sizeof("gloom:") + GLOOM_NAME_SIZE];
	int len;

	if (filter->name[0])
		len = scnprintf(name, sizeof(name), "gloom:%s", filter->name);
	else
		len = scnprintf(name, sizeof(name), "gloom:[%llu]",
				(u64)inode->i_ino);
	if (++len > size)
		return ERR_PTR(-ENAMETOOLONG);
	return memcpy(buffer + size - len, name, len);
}

static const struct dentry_operations fs_dentry_ops = {
	.d_iput		= fs_release_dentry,
	.d_dname	= fs_name_dentry,
};

static int fs_init_context(struct fs_context *fc)
{
	struct pseudo_fs_context *ctx = init_pseudo(fc, GLOOM_FS_MAGIC);

	if (!ctx)
		return -ENOMEM;
	ctx->ops = &fs_super_ops;
	ctx->dops = &fs_dentry_ops;
	fc->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	return 0;
}

static struct file_system_type fs_type = {
	.owner			= THIS_MODULE,
	.name			= "gloom",
	.init_fs_context	= fs_init_context,
	.kill_sb		= kill_anon_super,
};

/* Owner, mode and times may change; the size is the table's. */
static int fs_setattr(struct gloom_idmap *idmap, struct dentry *dentry,
		      struct iattr *attr)
{
	if (attr->ia_valid & ATTR_SIZE)
		return -EINVAL;
	return simple_setattr(idmap, dentry, attr);
}

static const struct inode_operations fs_inode_ops = {
	.setattr	= fs_setattr,
};

/*
 * gloom_fs_create - make a filter and a file of it, open for both
 * @table:	its table, owned by the filter if this succeeds
 * @args:	what the user asked for, validated
 */
struct file *gloom_fs_create(struct gloom_table *table,
			     const struct gloom_create *args)
{
	struct gloom_counters __percpu *counters;
	struct gloom_filter *filter;
	struct inode *inode;
	struct vfsmount *mnt;
	struct file *file;
	int err;

	counters = alloc_percpu_gfp(struct gloom_counters,
				    GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
				    __GFP_NOWARN);
	if (!counters)
		return ERR_PTR(-ENOMEM);

	/* The filter's reference to the mount, and one to outlive it here. */
	err = simple_pin_fs(&fs_type, &fs_mount, &fs_mount_count);
	if (err)
		goto err_counters;
	mnt = mntget(fs_mount);

	err = -ENOMEM;
	inode = new_inode(mnt->mnt_sb);
	if (!inode)
		goto err_mount;
	/* No link leads here, so that inotify lets go with the last close. */
	clear_nlink(inode);
	inode->i_ino = atomic64_inc_return(&last_ino);
	inode->i_mode = S_IFREG | args->mode;
	inode->i_uid = current_fsuid();
	inode->i_gid = current_fsgid();
	inode->i_op = &fs_inode_ops;
	inode->i_fop = &gloom_filter_fops;
	i_size_write(inode, table->bytes);
	gloom_inode_init_times(inode);

	filter = gloom_inode_filter(inode);
	filter->counters = counters;
	filter->capacity = args->capacity;
	filter->fpr = args->fpr;
	memcpy(filter->name, args->name, sizeof(filter->name));

	/* A file holds its operations' module; fput() releases that. */
	__module_get(THIS_MODULE);
	file = alloc_file_pseudo(inode, mnt, "gloom", O_RDWR | O_LARGEFILE,
				 &gloom_filter_fops);
	if (IS_ERR(file)) {
		module_put(THIS_MODULE);
		err = PTR_ERR(file);
		iput(inode);
		goto err_mount;
	}
	/* From here on closing the file frees all. */
	filter->table = table;
	mntput(mnt);
	return file;

err_mount:
	simple_release_fs(&fs_mount, &fs_mount_count);
	mntput(mnt);
err_counters:
	free_percpu(counters);
	return ERR_PTR(err);
}

static void filter_init_once(void *object)
{
	struct gloom_filter *filter = object;

	inode_init_once(&filter->inode);
}

int __init gloom_fs_init(void)
{
	filter_cache = kmem_cache_create("gloom_filter",
					 sizeof(struct gloom_filter), 0,
					 SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT,
					 filter_init_once);
	return filter_cache ? 0 : -ENOMEM;
}

void gloom_fs_exit(void)
{
	/* Inodes are freed after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(filter_cache);
}
