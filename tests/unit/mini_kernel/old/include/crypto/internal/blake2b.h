/* SPDX-License-Identifier: MIT */
/* The miniature kernel tree: update and final around any compress function. */
#ifndef MINI_CRYPTO_INTERNAL_BLAKE2B_H
#define MINI_CRYPTO_INTERNAL_BLAKE2B_H

#include <crypto/blake2b.h>
#include <crypto/internal/hash.h>
#include <linux/string.h>

typedef void (*blake2b_compress_t)(struct blake2b_state *state, const u8 *data, size_t nblocks,
				   u32 inc);

void blake2b_compress_generic(struct blake2b_state *state, const u8 *data, size_t nblocks,
			      u32 inc);

static inline void __blake2b_update(struct blake2b_state *state, const u8 *in, size_t inlen,
				    blake2b_compress_t compress)
{
	while (inlen > 0) {
		size_t piece = min_t(size_t, inlen, BLAKE2B_BLOCK_SIZE - state->buflen);

		/* a full buffer waits until it is known not to be the last block */
		if (piece == 0) {
			compress(state, state->buf, 1, BLAKE2B_BLOCK_SIZE);
			state->buflen = 0;
			continue;
		}
		memcpy(state->buf + state->buflen, in, piece);
		state->buflen += piece;
		in += piece;
		inlen -= piece;
	}
}

static inline void __blake2b_final(struct blake2b_state *state, u8 *out,
				   blake2b_compress_t compress)
{
	state->f[0] = ~0ULL;
	memset(state->buf + state->buflen, 0, BLAKE2B_BLOCK_SIZE - state->buflen);
	compress(state, state->buf, 1, state->buflen);
	for (unsigned int i = 0; i < ARRAY_SIZE(state->h); i++)
		__cpu_to_le64s(&state->h[i]);
	memcpy(out, state->h, state->outlen);
}

#endif
