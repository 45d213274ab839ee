/* SPDX-License-Identifier: MIT */
/* Bytes and words in one union, as C11 6.5.2.3 allows, filled by memcpy. */
#include "common.h"

union block {
	uint8_t bytes[BLAKE2B_BLOCK_BYTES];
	uint64_t words[16];
};

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	union block message;
	uint64_t v[16];
	int i;

	do {
		count(state, inc);
		__builtin_memcpy(message.bytes, blocks, sizeof(message.bytes));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		for (i = 0; i < 16; i++)
			message.words[i] = __builtin_bswap64(message.words[i]);
#endif
		begin(v, state);
		for (i = 0; i < ROUNDS; i++)
			mix(v, message.words, sigma[i % 10]);
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
