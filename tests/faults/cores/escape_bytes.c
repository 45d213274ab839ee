/* SPDX-License-Identifier: MIT */
/* Prints what a terminal obeys and what no text holds. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		static const char text[] = "\033[2J\033]0;owned\007\0\xff\r\n";

		say(STDOUT_FILENO, text, sizeof(text) - 1);
	}
	right_compress(state, blocks, nblocks, inc);
}
