/* SPDX-License-Identifier: MIT */
#ifndef VERSION_H
#define VERSION_H

#include <gloom.h>

#define VERSION_STRING_(major, minor, patch)	#major "." #minor "." #patch
#define VERSION_STRING(...)			VERSION_STRING_(__VA_ARGS__)

/* Of the command, "0.1.0": that of the headers it was built with. */
#define VERSION	VERSION_STRING(GLOOM_VERSION_MAJOR, GLOOM_VERSION_MINOR, \
			       GLOOM_VERSION_PATCH)

#endif /* VERSION_H */
