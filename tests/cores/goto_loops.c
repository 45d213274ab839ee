/* SPDX-License-Identifier: MIT */
/* Loops made of labels, backwards, the counter first. */
#include "common.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

next_block:
	count(state, inc);
	i = 16;
next_word:
	i--;
	m[i] = load64(blocks + 8 * i);
	if (i > 0)
		goto next_word;
	begin(v, state);
	i = -ROUNDS;
next_round:
	mix(v, m, sigma[(i + ROUNDS) % 10]);
	if (++i != 0)
		goto next_round;
	fold(state, v);
	blocks += BLAKE2B_BLOCK_BYTES;
	if (--nblocks != 0)
		goto next_block;
}
