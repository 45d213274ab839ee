/* SPDX-License-Identifier: MIT */
/* Message words put together from single bytes, in whatever order the host has. */
#include "common.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;
	int j;

	do {
		count(state, inc);
		for (i = 0; i < 16; i++) {
			m[i] = 0;
			for (j = 7; j >= 0; j--)
				m[i] = m[i] << 8 | *(blocks + 8 * i + j);
		}
		begin(v, state);
		for (i = 0; i < ROUNDS; i++)
			mix(v, m, sigma[i % 10]);
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
