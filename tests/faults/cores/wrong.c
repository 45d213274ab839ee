/* SPDX-License-Identifier: MIT */
/* Gives one wrong answer, the same each time. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		state->h[0] ^= 1;
	}
	right_compress(state, blocks, nblocks, inc);
}
