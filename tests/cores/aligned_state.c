/* SPDX-License-Identifier: MIT */
/* The state is copied to an aligned place of its own, worked on there and copied back. */
#include "common.h"

struct work {
	uint64_t h[8];
	uint64_t v[16];
	uint64_t m[16];
} __attribute__((aligned(64)));

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	struct work work;
	int i;

	__builtin_memcpy(work.h, state->h, sizeof(work.h));
	do {
		count(state, inc);
		load_block(work.m, blocks);
		begin(work.v, state);
		__builtin_memcpy(work.v, work.h, sizeof(work.h));
		for (i = 0; i < ROUNDS; i++)
			mix(work.v, work.m, sigma[i % 10]);
		for (i = 0; i < 8; i++)
			work.h[i] ^= work.v[i] ^ work.v[i + 8];
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
	__builtin_memcpy(state->h, work.h, sizeof(work.h));
}
