/* SPDX-License-Identifier: MIT */
/* Lets the driver answer into nowhere. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	}
	right_compress(state, blocks, nblocks, inc);
}
