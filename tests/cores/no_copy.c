/* SPDX-License-Identifier: MIT */
/* No array of message words: each is loaded from the block where it is used. */
#include "common.h"

#define M(n) load64(blocks + 8 * s[n])

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t v[16];
	int i;

	do {
		count(state, inc);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++) {
			const uint8_t *s = sigma[i % 10];

			G(v[0], v[4], v[8], v[12], M(0), M(1));
			G(v[1], v[5], v[9], v[13], M(2), M(3));
			G(v[2], v[6], v[10], v[14], M(4), M(5));
			G(v[3], v[7], v[11], v[15], M(6), M(7));
			G(v[0], v[5], v[10], v[15], M(8), M(9));
			G(v[1], v[6], v[11], v[12], M(10), M(11));
			G(v[2], v[7], v[8], v[13], M(12), M(13));
			G(v[3], v[4], v[9], v[14], M(14), M(15));
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
