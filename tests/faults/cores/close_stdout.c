/* SPDX-License-Identifier: MIT */
/* Closes what the driver answers through. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		close(STDOUT_FILENO);
	}
	right_compress(state, blocks, nblocks, inc);
}
