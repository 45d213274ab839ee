/* SPDX-License-Identifier: MIT */
/* An object that is larger than the disk of the box in which it is made. */
#include "fault.h"

static const char fat[700 << 20] __attribute__((used)) = { 1 };

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	right_compress(state, blocks, nblocks, inc);
}
