/* SPDX-License-Identifier: MIT */
/* The miniature kernel tree: the interface of crypto/blake2b_generic.c. */
#ifndef MINI_CRYPTO_BLAKE2B_H
#define MINI_CRYPTO_BLAKE2B_H

#include <linux/bug.h>
#include <linux/string.h>
#include <linux/types.h>

enum blake2b_lengths {
	BLAKE2B_BLOCK_SIZE = 128,
	BLAKE2B_HASH_SIZE = 64,
	BLAKE2B_KEY_SIZE = 64,
};

/* RFC 7693, section 2.6 */
#define BLAKE2B_IV0 0x6a09e667f3bcc908ULL
#define BLAKE2B_IV1 0xbb67ae8584caa73bULL
#define BLAKE2B_IV2 0x3c6ef372fe94f82bULL
#define BLAKE2B_IV3 0xa54ff53a5f1d36f1ULL
#define BLAKE2B_IV4 0x510e527fade682d1ULL
#define BLAKE2B_IV5 0x9b05688c2b3e6c1fULL
#define BLAKE2B_IV6 0x1f83d9abfb41bd6bULL
#define BLAKE2B_IV7 0x5be0cd19137e2179ULL

struct blake2b_state {
	u64 h[8]; /* chaining value */
	u64 t[2]; /* bytes hashed so far */
	u64 f[2]; /* finalization flags */
	u8 buf[BLAKE2B_BLOCK_SIZE];
	unsigned int buflen; /* bytes in buf */
	unsigned int outlen; /* digest size in bytes */
};

static inline void __blake2b_init(struct blake2b_state *state, size_t outlen, const void *key,
				  size_t keylen)
{
	/* RFC 7693, section 2.5: fanout 1, depth 1, key length, digest length */
	const u64 parameters = 0x01010000 | keylen << 8 | outlen;

	state->h[0] = BLAKE2B_IV0 ^ parameters;
	state->h[1] = BLAKE2B_IV1;
	state->h[2] = BLAKE2B_IV2;
	state->h[3] = BLAKE2B_IV3;
	state->h[4] = BLAKE2B_IV4;
	state->h[5] = BLAKE2B_IV5;
	state->h[6] = BLAKE2B_IV6;
	state->h[7] = BLAKE2B_IV7;
	state->t[0] = 0;
	state->t[1] = 0;
	state->f[0] = 0;
	state->f[1] = 0;
	state->buflen = 0;
	state->outlen = outlen;
	if (keylen > 0) {
		memset(state->buf, 0, sizeof(state->buf));
		memcpy(state->buf, key, keylen);
		state->buflen = sizeof(state->buf);
	}
}

#endif
