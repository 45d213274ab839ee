/* SPDX-License-Identifier: MIT */
/* Ten rows of the schedule, indexed modulo ten, as the RFC writes it. */
#include "common.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

	for (; nblocks > 0; nblocks--, blocks += BLAKE2B_BLOCK_BYTES) {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++)
			mix(v, m, sigma[i % 10]);
		fold(state, v);
	}
}
