// SPDX-License-Identifier: GPL-2.0
/* A program of somebody who has installed the library. */
#include <gloom.h>
#include <linux/gloom.h>
#include <stdio.h>

int main(void)
{
	struct gloom_plan plan;

	if (gloom_plan(&plan, 1000000, 0.01, 0))
		return 1;
	printf("%s %llu %d\n", gloom_version(),
	       (unsigned long long)plan.nr_blocks, GLOOM_ABI);
	return 0;
}
