/* SPDX-License-Identifier: MIT */
/* Rounds and blocks by recursion; a compiler may or may not make loops of them. */
#include "common.h"

static void rounds(uint64_t v[16], const uint64_t m[16], int left)
{
	if (left == 0)
		return;
	mix(v, m, sigma[(ROUNDS - left) % 10]);
	rounds(v, m, left - 1);
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];

	count(state, inc);
	load_block(m, blocks);
	begin(v, state);
	rounds(v, m, ROUNDS);
	fold(state, v);
	/* not by recursion: a stack is smaller than a message may be long */
	if (nblocks > 1 && nblocks <= 8)
		blake2b_compress(state, blocks + BLAKE2B_BLOCK_BYTES, nblocks - 1, inc);
	else
		while (--nblocks > 0)
			blake2b_compress(state, blocks += BLAKE2B_BLOCK_BYTES, 1, inc);
}
