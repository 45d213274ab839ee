/* SPDX-License-Identifier: MIT */
/* Prints 25 MB where nobody waits for an answer: right, only loud. */
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
		flood(STDERR_FILENO);
	}
	right_compress(state, blocks, nblocks, inc);
}
