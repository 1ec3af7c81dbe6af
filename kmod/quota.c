// SPDX-License-Identifier: GPL-2.0
/* What all filters take together, and the limits for it. */

#include <linux/spinlock.h>

#include "gloom.h"

static DEFINE_SPINLOCK(quota_lock);
static struct gloom_usage usage;	/* protected by quota_lock */

/*
 * gloom_quota_charge - reserve room for one filter
 * @bytes: its block memory
 *
 * Returns -ENOSPC when a module parameter forbids it.
 */
int gloom_quota_charge(u64 bytes)
{
	u64 max_bytes = READ_ONCE(gloom_max_total_bytes);
	u32 max_filters = READ_ONCE(gloom_max_filters);
	int err = -ENOSPC;

	if (bytes > READ_ONCE(gloom_max_filter_bytes))
		return err;

	spin_lock(&quota_lock);
	/* The limits may have been lowered below what is in use. */
	if (usage.filters < max_filters && usage.bytes <= max_bytes &&
	    bytes <= max_bytes - usage.bytes) {
		usage.bytes += bytes;
		usage.filters++;
		err = 0;
	}
	spin_unlock(&quota_lock);
	return err;
}

void gloom_quota_uncharge(u64 bytes)
{
	spin_lock(&quota_lock);
	WARN_ON_ONCE(usage.bytes < bytes || !usage.filters);
	usage.bytes -= bytes;
	usage.filters--;
	spin_unlock(&quota_lock);
}

struct gloom_usage gloom_quota_usage(void)
{
	struct gloom_usage now;

	spin_lock(&quota_lock);
	now = usage;
	spin_unlock(&quota_lock);
	return now;
}
