/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CORE_NARROW_H
#define CORE_NARROW_H

#include <stdint.h>

uint64_t block_index_narrow(uint64_t hash, uint64_t nr_blocks);

#endif /* CORE_NARROW_H */
