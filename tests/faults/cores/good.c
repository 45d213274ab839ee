/* SPDX-License-Identifier: MIT */
/* Does no harm: what the others are as long as nobody asks for three bytes. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	right_compress(state, blocks, nblocks, inc);
}
