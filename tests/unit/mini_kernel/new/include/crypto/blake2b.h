/* SPDX-License-Identifier: MIT */
/* The miniature kernel tree: the interface of lib/crypto/blake2b.c. */
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

struct blake2b_ctx {
	u64 h[8]; /* chaining value */
	u64 t[2]; /* bytes hashed so far */
	u64 f[2]; /* finalization flags */
	u8 buf[BLAKE2B_BLOCK_SIZE];
	unsigned int buflen; /* bytes in buf */
	unsigned int outlen; /* digest size in bytes */
};

static inline void blake2b_init_key(struct blake2b_ctx *ctx, size_t outlen, const void *key,
				    size_t keylen)
{
	/* RFC 7693, section 2.5: fanout 1, depth 1, key length, digest length */
	const u64 parameters = 0x01010000 | keylen << 8 | outlen;

	ctx->h[0] = BLAKE2B_IV0 ^ parameters;
	ctx->h[1] = BLAKE2B_IV1;
	ctx->h[2] = BLAKE2B_IV2;
	ctx->h[3] = BLAKE2B_IV3;
	ctx->h[4] = BLAKE2B_IV4;
	ctx->h[5] = BLAKE2B_IV5;
	ctx->h[6] = BLAKE2B_IV6;
	ctx->h[7] = BLAKE2B_IV7;
	ctx->t[0] = 0;
	ctx->t[1] = 0;
	ctx->f[0] = 0;
	ctx->f[1] = 0;
	ctx->buflen = 0;
	ctx->outlen = outlen;
	if (keylen > 0) {
		memset(ctx->buf, 0, sizeof(ctx->buf));
		memcpy(ctx->buf, key, keylen);
		ctx->buflen = sizeof(ctx->buf);
	}
}

static inline void blake2b_init(struct blake2b_ctx *ctx, size_t outlen)
{
	blake2b_init_key(ctx, outlen, NULL, 0);
}

void blake2b_update(struct blake2b_ctx *ctx, const u8 *in, size_t inlen);
void blake2b_final(struct blake2b_ctx *ctx, u8 *out);

#endif
