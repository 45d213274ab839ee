/* SPDX-License-Identifier: MIT */
/* Dies by the signal that comes from outside as a rule. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		kill(getpid(), SIGKILL);
	}
	right_compress(state, blocks, nblocks, inc);
}
