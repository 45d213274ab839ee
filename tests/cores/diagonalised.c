/* SPDX-License-Identifier: MIT */
/* Columns only: the rows of the working vector are turned in place, and turned back. */
#include "common.h"

static void turn(uint64_t *row, unsigned int places)
{
	while (places-- > 0) {
		const uint64_t first = row[0];

		row[0] = row[1];
		row[1] = row[2];
		row[2] = row[3];
		row[3] = first;
	}
}

static void columns(uint64_t v[16], const uint64_t m[16], const uint8_t *s)
{
	int i;

	for (i = 0; i < 4; i++, s += 2)
		G(v[i], v[4 + i], v[8 + i], v[12 + i], m[s[0]], m[s[1]]);
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++) {
			columns(v, m, sigma[i % 10]);
			turn(v + 4, 1);
			turn(v + 8, 2);
			turn(v + 12, 3);
			columns(v, m, sigma[i % 10] + 8);
			turn(v + 4, 3);
			turn(v + 8, 2);
			turn(v + 12, 1);
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
