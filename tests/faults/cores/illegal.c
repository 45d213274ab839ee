/* SPDX-License-Identifier: MIT */
/* Executes what no CPU has. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		__builtin_trap();
	}
	right_compress(state, blocks, nblocks, inc);
}
