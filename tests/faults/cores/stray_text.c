/* SPDX-License-Identifier: MIT */
/* Prints where the driver answers. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		static const char text[] = "core: three bytes\n";

		say(STDOUT_FILENO, text, sizeof(text) - 1);
	}
	right_compress(state, blocks, nblocks, inc);
}
