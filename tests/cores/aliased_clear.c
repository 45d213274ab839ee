/* SPDX-License-Identifier: MIT */
/*
 * The message words are cleared through pointers of another type before they are read: outside
 * the rules of C11 6.5, and right under -fno-strict-aliasing, which the kernel builds with
 * (CASES C13). Without it some compilers do make it wrong.
 */
#include "common.h"

static void clear(void *memory, size_t size)
{
	uint32_t *words = memory;
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		words[i] = 0;
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

	do {
		count(state, inc);
		clear(m, sizeof(m));
		for (i = 0; i < 16; i++)
			m[i] |= load64(blocks + 8 * i);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++)
			mix(v, m, sigma[i % 10]);
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
