// SPDX-License-Identifier: GPL-2.0
/*
 * gloom: Bloom filters in kernel memory, shared between processes.
 *
 * Objects, lifetimes and locks are described in gloom.h. The files:
 *
 *	device.c	/dev/gloom and its ioctls
 *	names.c		the tree of names
 *	fs.c		the pseudo filesystem whose inodes filters are
 *	filter.c	files of filters and their ioctls
 *	batch.c		many keys in one call
 *	probe.c		hashes against bits, the hot loop
 *	table.c		the memory of a filter
 *	counters.c	what happened to a filter
 *	quota.c		what all filters take together
 *	uarg.c		size-first structures in user memory
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/module.h>

#include "gloom.h"
#include "version.h"

unsigned long gloom_max_filter_bytes;
module_param_named(max_filter_bytes, gloom_max_filter_bytes, ulong, 0644);
MODULE_PARM_DESC(max_filter_bytes,
		 "Most block memory of one filter, in bytes (default: a quarter of the machine's memory)");

unsigned long gloom_max_total_bytes;
module_param_named(max_total_bytes, gloom_max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes,
		 "Most block memory of all filters together, in bytes (default: half of the machine's memory)");

unsigned int gloom_max_filters = GLOOM_FILTERS_DEFAULT;
module_param_named(max_filters, gloom_max_filters, uint, 0644);
MODULE_PARM_DESC(max_filters,
		 "Most filters at once (default: "
		 __stringify(GLOOM_FILTERS_DEFAULT) ")");

static int __init gloom_init(void)
{
	const unsigned long memory = totalram_pages() << PAGE_SHIFT;
	int err;

	if (!gloom_max_filter_bytes)
		gloom_max_filter_bytes = memory / GLOOM_FILTER_SHARE;
	if (!gloom_max_total_bytes)
		gloom_max_total_bytes = memory / GLOOM_TOTAL_SHARE;

	gloom_probe_init();

	err = gloom_fs_init();
	if (err)
		return err;

	err = gloom_device_init();
	if (err)
		goto err_fs;

	pr_info("version " GLOOM_MODULE_VERSION ", ABI %d\n", GLOOM_ABI);
	return 0;

err_fs:
	gloom_fs_exit();
	return err;
}

static void __exit gloom_exit(void)
{
	gloom_device_exit();
	gloom_fs_exit();
}

module_init(gloom_init);
module_exit(gloom_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(GLOOM_MODULE_VERSION);
MODULE_DESCRIPTION("Bloom filters shared between processes");
MODULE_AUTHOR("The gloom authors");
