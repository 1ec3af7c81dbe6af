// SPDX-License-Identifier: GPL-2.0
// The public headers in C++, and the library from there.
#include <gloom.h>
#include <linux/gloom.h>

static int never(const struct gloom_entry *, void *)
{
	return 1;
}

int main()
{
	struct gloom_options options = GLOOM_OPTIONS_INIT;
	struct gloom_create create = {};	/* not the function */
	struct gloom_filter *filter;
	int ret = 1;

	create.size = sizeof(create);
	options.flags = GLOOM_LOCAL;
	options.capacity = 1000;
	options.hash = GLOOM_XXH64;
	if (gloom_create(&filter, nullptr, &options))
		return 2;
	if (gloom_add(filter, "key", 3) == 1 &&
	    gloom_test(filter, "key", 3) == 1)
		ret = 0;
	gloom_close(filter);
	gloom_list(never, nullptr);
	return ret;
}
