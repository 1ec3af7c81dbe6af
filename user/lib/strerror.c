// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "gloom.h"

const char *gloom_strerror(int error)
{
	const char *text;

	/* As functions return it. */
	if (error > 0)
		error = -error;
	switch (error) {
	case 0:
		return "Success";
	case -ENOENT:
		return "No /dev/gloom: is the module gloom loaded?";
	case -EACCES:
		return "No permission, for /dev/gloom or for the filter";
	case -EPROTO:
		return "/dev/gloom does not speak this library's language";
	case -ENXIO:
		return "No filter has that name";
	case -EEXIST:
		return "A filter of that name exists";
	case -ENOSPC:
		return "A limit of the module gloom would be passed";
	case -ENOMEM:
		return "Not enough memory";
	case -ERANGE:
		return "No filter, however large or small it may be, does that";
	case -EINVAL:
		return "An argument is out of its range";
	case -EMSGSIZE:
		return "A key is longer than 4096 bytes";
	case -EBADF:
		return "The filter is not open for that";
	case -ENOTTY:
		return "Not a file of a filter";
	case -EFAULT:
		return "A pointer to keys or results is bad";
	case -EINTR:
		return "A signal came";
	}
	text = error > INT_MIN ? strerrordesc_np(-error) : NULL;
	return text ? text : "Unknown error";
}
