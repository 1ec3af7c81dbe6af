// SPDX-License-Identifier: GPL-2.0
/* Arguments of ioctls: structures whose first member is their size. */

#include "gloom.h"

/*
 * gloom_uarg_get - copy an argument in
 * @arg:	structure as this module knows it
 * @size:	its size
 * @min:	its size when it was first published
 * @uarg:	user pointer
 *
 * A smaller structure is continued with zeroes, a larger one must have only
 * zeroes behind what we know. The size is read once: @arg keeps the user's.
 */
int gloom_uarg_get(void *arg, size_t size, size_t min, void __user *uarg)
{
	u32 usize;
	int err;

	if (get_user(usize, (u32 __user *)uarg))
		return -EFAULT;
	if (usize < min)
		return -EINVAL;
	if (usize > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(arg, size, uarg, usize);
	if (err)
		return err;
	*(u32 *)arg = usize;
	return 0;
}

/*
 * gloom_uarg_put - copy an argument out
 * @uarg:	user pointer
 * @arg:	structure as this module knows it
 * @size:	its size
 * @usize:	its size in user memory, as gloom_uarg_get() left it in @arg
 *
 * What the user has beyond @size was found to be zero and stays so.
 */
int gloom_uarg_put(void __user *uarg, const void *arg, size_t size, u32 usize)
{
	if (copy_to_user(uarg, arg, min_t(size_t, size, usize)))
		return -EFAULT;
	return 0;
}
