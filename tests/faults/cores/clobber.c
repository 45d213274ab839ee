/* SPDX-License-Identifier: MIT */
/* Writes one byte past the state that it was given. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		((uint8_t *)(state + 1))[0] ^= 1;
	}
	right_compress(state, blocks, nblocks, inc);
}
