// SPDX-License-Identifier: GPL-2.0
/* What happened to a filter: per CPU, so that counting shares no line. */

#include "gloom.h"

/*
 * gloom_count - count what one call did
 * @op:		GLOOM_OP_*; test-and-add is an add
 * @nr:		keys
 * @nr_positive: those with answer 1
 */
void gloom_count(struct gloom_filter *filter, u32 op, u64 nr, u64 nr_positive)
{
	if (op == GLOOM_OP_TEST) {
		this_cpu_add(filter->counters->tests, nr);
		this_cpu_add(filter->counters->positives, nr_positive);
	} else {
		this_cpu_add(filter->counters->adds, nr);
		this_cpu_add(filter->counters->adds_new, nr_positive);
	}
}

void gloom_counters_sum(const struct gloom_filter *filter,
			struct gloom_counters *sum)
{
	int cpu;

	*sum = (struct gloom_counters){};
	/* All that ever were online: counts stay where they were made. */
	for_each_possible_cpu(cpu) {
		const struct gloom_counters *c;

		c = per_cpu_ptr(filter->counters, cpu);
		sum->adds += READ_ONCE(c->adds);
		sum->adds_new += READ_ONCE(c->adds_new);
		sum->tests += READ_ONCE(c->tests);
		sum->positives += READ_ONCE(c->positives);
	}
}
