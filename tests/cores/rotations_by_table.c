/* SPDX-License-Identifier: MIT */
/* The four rotations and the eight places of G looked up in tables. */
#include "common.h"

static const uint8_t rotations[2][2] = { { 32, 24 }, { 16, 63 } };

static const uint8_t places[8][4] = {
	{ 0, 4, 8, 12 }, { 1, 5, 9, 13 }, { 2, 6, 10, 14 }, { 3, 7, 11, 15 },
	{ 0, 5, 10, 15 }, { 1, 6, 11, 12 }, { 2, 7, 8, 13 }, { 3, 4, 9, 14 },
};

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int call;
	int half;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (call = 0; call < 8 * ROUNDS; call++) {
			const uint8_t *at = places[call % 8];
			const uint8_t *s = sigma[call / 8 % 10] + call % 8 * 2;

			for (half = 0; half < 2; half++) {
				v[at[0]] += v[at[1]] + m[s[half]];
				v[at[3]] = ror64(v[at[3]] ^ v[at[0]], rotations[half][0]);
				v[at[2]] += v[at[3]];
				v[at[1]] = ror64(v[at[1]] ^ v[at[2]], rotations[half][1]);
			}
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
