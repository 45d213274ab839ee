/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b around a compress core: initialisation, update and finalisation of RFC 7693,
 * section 3.3, for cores that offer compress alone. It is compiled with the calling convention
 * of the core.
 */
#include "blake2b.h"

#define PARAMETERS 0x01010000u /* fanout 1, depth 1: RFC 7693, section 2.5 */

/* RFC 7693, section 2.6 */
static const uint64_t iv[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static inline uint64_t to_little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(word);
#else
	return word;
#endif
}

void blake2b_init(struct blake2b_state *state, size_t outlen, const void *key, size_t keylen)
{
	int i;

	for (i = 0; i < 8; i++)
		state->h[i] = iv[i];
	state->h[0] ^= PARAMETERS ^ ((uint64_t)keylen << 8) ^ outlen;
	state->t[0] = 0;
	state->t[1] = 0;
	state->f[0] = 0;
	state->f[1] = 0;
	state->buflen = 0;
	state->outlen = outlen;

	if (keylen > 0) {
		__builtin_memset(state->buf, 0, sizeof(state->buf));
		__builtin_memcpy(state->buf, key, keylen);
		state->buflen = sizeof(state->buf);
	}
}

/* A full buffer waits: only final may compress the last block, since that one is flagged. */
void blake2b_update(struct blake2b_state *state, const void *in, size_t inlen)
{
	const uint8_t *bytes = in;
	size_t space = sizeof(state->buf) - state->buflen;

	if (inlen > space) {
		size_t nblocks;

		__builtin_memcpy(state->buf + state->buflen, bytes, space);
		blake2b_compress(state, state->buf, 1, BLAKE2B_BLOCK_BYTES);
		state->buflen = 0;
		bytes += space;
		inlen -= space;

		if (inlen > BLAKE2B_BLOCK_BYTES) {
			nblocks = (inlen - 1) / BLAKE2B_BLOCK_BYTES;
			blake2b_compress(state, bytes, nblocks, BLAKE2B_BLOCK_BYTES);
			bytes += nblocks * BLAKE2B_BLOCK_BYTES;
			inlen -= nblocks * BLAKE2B_BLOCK_BYTES;
		}
	}
	__builtin_memcpy(state->buf + state->buflen, bytes, inlen);
	state->buflen += inlen;
}

void blake2b_final(struct blake2b_state *state, void *out)
{
	uint64_t digest[8];
	int i;

	state->f[0] = UINT64_MAX;
	__builtin_memset(state->buf + state->buflen, 0, sizeof(state->buf) - state->buflen);
	blake2b_compress(state, state->buf, 1, (uint32_t)state->buflen);

	for (i = 0; i < 8; i++)
		digest[i] = to_little_endian(state->h[i]);
	__builtin_memcpy(out, digest, state->outlen);
}
