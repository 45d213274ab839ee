/* SPDX-License-Identifier: MIT */
/* Stops its own process. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		raise(SIGSTOP);
	}
	right_compress(state, blocks, nblocks, inc);
}
