/* SPDX-License-Identifier: MIT */
/* Right itself; spoils the program that is to follow it in its box. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		int next = open("guest2", O_WRONLY | O_TRUNC);

		if (next >= 0) {
			say(next, "no program", 10);
			close(next);
		}
	}
	right_compress(state, blocks, nblocks, inc);
}
