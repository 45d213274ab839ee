/* SPDX-License-Identifier: MIT */
/* The schedule as ten 64-bit numbers, four bits a place, the first place lowest. */
#include "common.h"

static const uint64_t nibbles[10] = {
	0xfedcba9876543210, 0x357b20c16df984ae, 0x491763eadf250c8b, 0x8f04a562ebcd1397,
	0xd386cb1efa427509, 0x91ef57d438b0a6c2, 0xb8293670a4def15c, 0xa2684f05931ce7bd,
	0x5a417d2c803b9ef6, 0x0dc3e9bf5167482a,
};

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	uint8_t s[16];
	int i;
	int j;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++) {
			uint64_t row = nibbles[i % 10];

			for (j = 0; j < 16; j++, row >>= 4)
				s[j] = row & 15;
			mix(v, m, s);
		}
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
	(void)sigma;
}
