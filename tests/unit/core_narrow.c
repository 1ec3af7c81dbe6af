// SPDX-License-Identifier: GPL-2.0
/* gloom_block_index() as it is on machines without 128-bit integers. */
#undef __SIZEOF_INT128__
#include <gloom/core.h>

#include "core_narrow.h"

uint64_t block_index_narrow(uint64_t hash, uint64_t nr_blocks)
{
	return gloom_block_index(hash, nr_blocks);
}
