// SPDX-License-Identifier: GPL-2.0
/*
 * Names of filters: a tree in byte order, so that iterating with the last name
 * as the cursor meets each name once whatever comes and goes meanwhile.
 *
 * A name is a reference to a filter's dentry and mount; opening it is opening
 * that dentry, with the permission check of open(2).
 */

#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "gloom.h"

struct gloom_name {
	struct rb_node node;
	struct path path;
};

static DEFINE_MUTEX(names_lock);
static struct rb_root names = RB_ROOT;	/* protected by names_lock */

static struct gloom_filter *name_filter(const struct gloom_name *name)
{
	return gloom_inode_filter(d_inode(name->path.dentry));
}

static struct gloom_name *node_name(struct rb_node *node)
{
	return rb_entry(node, struct gloom_name, node);
}

static int cmp_key(const void *key, const struct rb_node *node)
{
	const struct gloom_name *name;

	name = rb_entry(node, struct gloom_name, node);
	return strcmp(key, name_filter(name)->name);
}

static int cmp_node(struct rb_node *new, const struct rb_node *node)
{
	return cmp_key(name_filter(node_name(new))->name, node);
}

static struct gloom_name *name_find(const char *key)
{
	struct rb_node *node;

	lockdep_assert_held(&names_lock);
	node = rb_find(key, &names, cmp_key);
	return node ? node_name(node) : NULL;
}

/* The first name behind @key. */
static struct gloom_name *name_after(const char *key)
{
	struct rb_node *node = names.rb_node;
	struct gloom_name *found = NULL;

	lockdep_assert_held(&names_lock);
	while (node) {
		if (cmp_key(key, node) < 0) {
			found = node_name(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/*
 * gloom_name_valid - is this a name, and zero behind it to the end?
 *
 * Restricted to what is safe in shells, file names and metric labels.
 */
bool gloom_name_valid(const char name[GLOOM_NAME_SIZE])
{
	size_t len = strnlen(name, GLOOM_NAME_SIZE);
	size_t i;

	if (!len || len == GLOOM_NAME_SIZE || name[0] == '.' || name[0] == '-')
		return false;
	for (i = 0; i < len; i++) {
		/* isalnum() knows Latin-1 letters too. */
		if (!isascii(name[i]) ||
		    (!isalnum(name[i]) && !strchr("._:@+-", name[i])))
			return false;
	}
	return !memchr_inv(name + len, 0, GLOOM_NAME_SIZE - len);
}

/* gloom_name_exists - is the name taken at the moment? */
bool gloom_name_exists(const char *key)
{
	bool exists;

	mutex_lock(&names_lock);
	exists = name_find(key);
	mutex_unlock(&names_lock);
	return exists;
}

/*
 * gloom_name_add - make a filter known by its name
 * @file: a file of the filter
 *
 * Returns -EEXIST when the name is taken.
 */
int gloom_name_add(struct file *file)
{
	struct gloom_name *new = kmalloc(sizeof(*new), GLOOM_GFP);
	struct rb_node *old;

	if (!new)
		return -ENOMEM;
	new->path = file->f_path;
	path_get(&new->path);

	mutex_lock(&names_lock);
	old = rb_find_add(&new->node, &names, cmp_node);
	mutex_unlock(&names_lock);
	if (!old)
		return 0;

	/* Never the last reference: @file has its own. */
	path_put(&new->path);
	kfree(new);
	return -EEXIST;
}

/*
 * gloom_name_open - open a filter by name
 * @access: GLOOM_OPEN_*
 */
struct file *gloom_name_open(const char *key, u32 access)
{
	static const int flags[] = {
		[GLOOM_OPEN_READ] = O_RDONLY,
		[GLOOM_OPEN_WRITE] = O_WRONLY,
		[GLOOM_OPEN_READ | GLOOM_OPEN_WRITE] = O_RDWR,
	};
	struct gloom_name *name;
	struct file *file;
	struct path path;
	int mask = MAY_OPEN;
	int err;

	mutex_lock(&names_lock);
	name = name_find(key);
	if (name) {
		path = name->path;
		path_get(&path);
	}
	mutex_unlock(&names_lock);
	if (!name)
		return ERR_PTR(-ENOENT);

	if (access & GLOOM_OPEN_READ)
		mask |= MAY_READ;
	if (access & GLOOM_OPEN_WRITE)
		mask |= MAY_WRITE;
	err = path_permission(&path, mask);
	if (err)
		file = ERR_PTR(err);
	else
		file = dentry_open(&path, flags[access] | O_LARGEFILE,
				   current_cred());
	path_put(&path);
	return file;
}

int gloom_name_unlink(const char *key)
{
	struct gloom_name *name;
	int err = -ENOENT;

	/* Checked under the lock: what is removed is what was checked. */
	mutex_lock(&names_lock);
	name = name_find(key);
	if (name)
		err = path_permission(&name->path, MAY_WRITE);
	if (!err)
		rb_erase(&name->node, &names);
	mutex_unlock(&names_lock);
	if (err)
		return err;

	path_put(&name->path);
	kfree(name);
	return 0;
}

/* gloom_name_next - the name behind args->name, and what stat(2) would say */
int gloom_name_next(struct gloom_next *args)
{
	struct user_namespace *ns = current_user_ns();
	struct gloom_name *name;
	int err = -ENOENT;

	mutex_lock(&names_lock);
	name = name_after(args->name);
	if (name) {
		struct inode *inode = d_inode(name->path.dentry);
		struct gloom_filter *filter = gloom_inode_filter(inode);

		memcpy(args->name, filter->name, sizeof(args->name));
		args->bytes = filter->table->bytes;
		args->uid = from_kuid_munged(ns, inode->i_uid);
		args->gid = from_kgid_munged(ns, inode->i_gid);
		args->mode = inode->i_mode & 07777;
		err = 0;
	}
	mutex_unlock(&names_lock);
	return err;
}
