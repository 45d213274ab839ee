/* SPDX-License-Identifier: MIT */
/* All of blake2b.h: update takes byte after byte, init and final go through byte arrays. */
#include "common.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

	for (; nblocks > 0; nblocks--, blocks += BLAKE2B_BLOCK_BYTES) {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		for (i = 0; i < ROUNDS; i++)
			mix(v, m, sigma[i % 10]);
		fold(state, v);
	}
}

void blake2b_init(struct blake2b_state *state, size_t outlen, const void *key, size_t keylen)
{
	const uint8_t parameters[8] = { (uint8_t)outlen, (uint8_t)keylen, 1, 1 };
	const uint8_t *from = key;
	size_t i;

	__builtin_memset(state, 0, sizeof(*state));
	for (i = 0; i < 8; i++)
		state->h[i] = iv[i];
	state->h[0] ^= load64(parameters);
	state->outlen = outlen;
	if (keylen > 0) {
		for (i = 0; i < keylen; i++)
			state->buf[i] = from[i];
		state->buflen = BLAKE2B_BLOCK_BYTES;
	}
}

void blake2b_update(struct blake2b_state *state, const void *in, size_t inlen)
{
	const uint8_t *from = in;

	while (inlen-- > 0) {
		if (state->buflen == BLAKE2B_BLOCK_BYTES) {
			blake2b_compress(state, state->buf, 1, BLAKE2B_BLOCK_BYTES);
			state->buflen = 0;
		}
		state->buf[state->buflen++] = *from++;
	}
}

void blake2b_final(struct blake2b_state *state, void *out)
{
	const uint32_t last = (uint32_t)state->buflen;
	uint8_t *to = out;
	size_t i;

	while (state->buflen < BLAKE2B_BLOCK_BYTES)
		state->buf[state->buflen++] = 0;
	state->f[0] = ~(uint64_t)0;
	blake2b_compress(state, state->buf, 1, last);
	for (i = 0; i < state->outlen; i++)
		to[i] = (uint8_t)(state->h[i / 8] >> (8 * (i % 8)));
	__builtin_memset(state, 0, sizeof(*state));
}
