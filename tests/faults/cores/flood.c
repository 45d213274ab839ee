/* SPDX-License-Identifier: MIT */
/* Prints 25 MB where the driver answers. */
#include "fault.h"

static void flood(int to)
{
	static char block[64 << 10];
	int i;

	memset(block, 0x2a, sizeof(block));
	for (i = 0; i < 400; i++)
		say(to, block, sizeof(block));
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		flood(STDOUT_FILENO);
	}
	right_compress(state, blocks, nblocks, inc);
}
