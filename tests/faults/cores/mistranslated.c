/* SPDX-License-Identifier: MIT */
/* Wrong only under an emulator that says so in its environment: a stand-in for a wrong one. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (getenv("MISTRANSLATE") != NULL)
		state->h[0] ^= 1;
	right_compress(state, blocks, nblocks, inc);
}
