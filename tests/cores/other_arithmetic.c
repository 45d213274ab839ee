/* SPDX-License-Identifier: MIT */
/* Rotations by multiplication and addition, carries by branches, xor by and, or and not. */
#include "common.h"

static uint64_t xor64(uint64_t a, uint64_t b)
{
	return (a | b) & ~(a & b);
}

static uint64_t rotate_left_one(uint64_t word)
{
	return word + word + (word >> 63);
}

static uint64_t rotate_left(uint64_t word, unsigned int count)
{
	return word * ((uint64_t)1 << count) + (word >> (64 - count));
}

static void g(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y)
{
	*a = *a + x + *b;
	*d = rotate_left(xor64(*d, *a), 32);
	*c -= ~*d + 1;
	*b = rotate_left(xor64(*b, *c), 40);
	*a = *a + y + *b;
	*d = rotate_left(xor64(*d, *a), 48);
	*c -= ~*d + 1;
	*b = rotate_left_one(xor64(*b, *c));
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;
	int j;

	do {
		const uint64_t before = state->t[0];

		state->t[0] = before + inc;
		if (state->t[0] < before)
			state->t[1]++;
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++) {
			const uint8_t *s = sigma[i % 10];

			for (j = 3; j >= 0; j--)
				g(v + j, v + 4 + j, v + 8 + j, v + 12 + j, m[s[2 * j]],
				  m[s[2 * j + 1]]);
			for (j = 3; j >= 0; j--)
				g(v + j, v + 4 + (j + 1) % 4, v + 8 + (j + 2) % 4,
				  v + 12 + (j + 3) % 4, m[s[8 + 2 * j]], m[s[9 + 2 * j]]);
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
