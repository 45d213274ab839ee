/* SPDX-License-Identifier: MIT */
/* Ends with the status by which shells report a signal. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		_exit(139);
	}
	right_compress(state, blocks, nblocks, inc);
}
