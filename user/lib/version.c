// SPDX-License-Identifier: MIT
#include "gloom.h"

#define STRING(x)	#x
#define VERSION(x, y, z)	STRING(x) "." STRING(y) "." STRING(z)

const char *gloom_version(void)
{
	return VERSION(GLOOM_VERSION_MAJOR, GLOOM_VERSION_MINOR,
		       GLOOM_VERSION_PATCH);
}
