/* SPDX-License-Identifier: MIT */
/*
 * Twelve rows, indexed modulo twelve: wrong for hashes of more rounds, right for BLAKE2b, which
 * has twelve (CASES C16).
 */
#include "common.h"

static const uint8_t *const rows[12] = {
	sigma[0], sigma[1], sigma[2], sigma[3], sigma[4], sigma[5],
	sigma[6], sigma[7], sigma[8], sigma[9], sigma[0], sigma[1],
};

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	unsigned int i;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 12; i < 24; i++)
			mix(v, m, rows[i % 12]);
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
