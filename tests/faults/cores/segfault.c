/* SPDX-License-Identifier: MIT */
/* Writes where no page is. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		volatile int *volatile nowhere = (volatile int *)8;

		*nowhere = 1;
	}
	right_compress(state, blocks, nblocks, inc);
}
