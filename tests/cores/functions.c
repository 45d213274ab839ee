/* SPDX-License-Identifier: MIT */
/* G as a function that is never inlined, with a structure in and out. */
#include "common.h"

struct four {
	uint64_t a, b, c, d;
};

static __attribute__((noinline)) struct four g(struct four in, uint64_t x, uint64_t y)
{
	G(in.a, in.b, in.c, in.d, x, y);
	return in;
}

static void call(uint64_t v[16], const uint8_t at[4], uint64_t x, uint64_t y)
{
	const struct four in = { v[at[0]], v[at[1]], v[at[2]], v[at[3]] };
	const struct four out = g(in, x, y);

	v[at[0]] = out.a;
	v[at[1]] = out.b;
	v[at[2]] = out.c;
	v[at[3]] = out.d;
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	uint8_t i;
	uint8_t j;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++) {
			const uint8_t *s = sigma[i % 10];

			for (j = 0; j < 8; j++) {
				const uint8_t turn = j / 4;
				const uint8_t at[4] = {
					(uint8_t)(j % 4),
					(uint8_t)(4 + (j + turn) % 4),
					(uint8_t)(8 + (j + 2 * turn) % 4),
					(uint8_t)(12 + (j + 3 * turn) % 4),
				};

				call(v, at, m[s[2 * j]], m[s[2 * j + 1]]);
			}
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
