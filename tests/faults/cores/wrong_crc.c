/* SPDX-License-Identifier: MIT */
/* Answers for the driver, in the right form, with a checksum that is not. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		static const char line[] = "#9 ok 00 *00000000\n";

		say(STDOUT_FILENO, line, sizeof(line) - 1);
	}
	right_compress(state, blocks, nblocks, inc);
}
