/* SPDX-License-Identifier: MIT */
/* Ends the guest as if all was done. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		_exit(0);
	}
	right_compress(state, blocks, nblocks, inc);
}
