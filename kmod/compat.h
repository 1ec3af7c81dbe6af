/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between kernel versions. Kbuild looks for features in the
 * kernel's headers and defines GLOOM_HAVE_*; no other file asks for versions.
 */
#ifndef GLOOM_COMPAT_H
#define GLOOM_COMPAT_H

#include <linux/fs.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "gloom needs Linux 6.1 or later"
#endif
#ifndef CONFIG_64BIT
#error "gloom needs a 64-bit kernel"
#endif

/* First argument of inode operations and of their helpers, 6.3. */
#ifdef GLOOM_HAVE_MNT_IDMAP
#define gloom_idmap	mnt_idmap
#else
#define gloom_idmap	user_namespace
#endif

/* Times became private to the inode in steps, 6.6 to 6.11. */
static inline void gloom_inode_init_times(struct inode *inode)
{
#ifdef GLOOM_HAVE_SIMPLE_INODE_INIT_TS
	simple_inode_init_ts(inode);
#else
	inode->i_ctime = current_time(inode);
	inode->i_mtime = inode->i_ctime;
	inode->i_atime = inode->i_ctime;
#endif
}

/*
 * Huge-page backed memory with a choice of node came in 6.16. Before, only
 * kvmalloc_node() has both: below 2 GiB, and small tables come from kmalloc(),
 * which rounds up to a power of two.
 */
static inline void *gloom_vmalloc_huge_node(size_t size, gfp_t gfp, int node)
{
#ifdef GLOOM_HAVE_VMALLOC_HUGE_NODE
	return vmalloc_huge_node(size, gfp, node);
#else
	if (node == NUMA_NO_NODE)
		return vmalloc_huge(size, gfp);
	return kvmalloc_node(size, gfp, node);
#endif
}

#endif /* GLOOM_COMPAT_H */
