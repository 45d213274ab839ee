/* SPDX-License-Identifier: MIT */
/* Two blocks a turn: the words of both are loaded alternately before the first is mixed. */
#include "common.h"

static void compress_words(struct blake2b_state *state, const uint64_t m[16], uint32_t inc)
{
	uint64_t v[16];
	int i;

	count(state, inc);
	begin(v, state);
	for (i = 0; i < ROUNDS; i++)
		mix(v, m, sigma[i % 10]);
	fold(state, v);
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t first[16];
	uint64_t second[16];
	int i;

	for (; nblocks > 1; nblocks -= 2, blocks += 2 * BLAKE2B_BLOCK_BYTES) {
		for (i = 0; i < 16; i++) {
			first[i] = load64(blocks + 8 * i);
			second[i] = load64(blocks + BLAKE2B_BLOCK_BYTES + 8 * i);
		}
		compress_words(state, first, inc);
		compress_words(state, second, inc);
	}
	if (nblocks == 1) {
		load_block(first, blocks);
		compress_words(state, first, inc);
	}
}
