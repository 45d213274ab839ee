/* SPDX-License-Identifier: MIT */
/*
 * For the kernel's lib/crypto/blake2b.c. Its compress function is static and stays so: making it
 * global would change its calling convention. Raw states are reached by setting the context and
 * calling update or final.
 */
#include <crypto/blake2b.h>

#include "ops.h"

static RIG_PLAIN void op_init(void *ctx, size_t outlen, const void *key, size_t keylen)
{
	if (keylen > 0)
		blake2b_init_key(ctx, outlen, key, keylen);
	else
		blake2b_init(ctx, outlen);
}

static RIG_PLAIN void op_update(void *ctx, const void *in, size_t inlen)
{
	blake2b_update(ctx, in, inlen);
}

static RIG_PLAIN void op_final(void *ctx, void *out)
{
	blake2b_final(ctx, out);
}

static RIG_PLAIN void op_preset(void *ctx, const uint64_t t[2])
{
	struct blake2b_ctx *state = ctx;

	state->t[0] = t[0];
	state->t[1] = t[1];
}

/*
 * Whole blocks: update compresses all of them once a further byte arrives, and leaves f alone.
 * The first and the last block go through the context's buffer, those between are read in place.
 */
static int by_update(struct blake2b_ctx *ctx, uint64_t h[8], uint64_t t[2], uint64_t f[2],
		     const void *blocks, size_t nblocks)
{
	const unsigned int outlen = ctx->outlen;
	const u8 further = 0;

	blake2b_update(ctx, blocks, nblocks * BLAKE2B_BLOCK_SIZE);
	blake2b_update(ctx, &further, 1);

	__builtin_memcpy(h, ctx->h, sizeof(ctx->h));
	__builtin_memcpy(t, ctx->t, sizeof(ctx->t));
	__builtin_memcpy(f, ctx->f, sizeof(ctx->f));
	return ctx->buflen == 1 && ctx->outlen == outlen ? 0 : RIG_CLOBBERED;
}

/*
 * One last block: final sets f[0], fills the block up with zeros and wipes the context. The
 * chaining value is the digest; t is not seen and taken as the contract says.
 */
static int by_final(struct blake2b_ctx *ctx, uint64_t h[8], uint64_t t[2], const void *block,
		    u32 inc)
{
	u8 digest[BLAKE2B_HASH_SIZE];
	size_t i;

	__builtin_memcpy(ctx->buf, block, BLAKE2B_BLOCK_SIZE);
	ctx->buflen = inc;
	ctx->outlen = sizeof(digest);
	blake2b_final(ctx, digest);

	for (i = 0; i < 8; i++)
		h[i] = 0;
	for (i = 0; i < sizeof(digest); i++)
		h[i / 8] |= (uint64_t)digest[i] << (8 * (i % 8));
	t[0] += inc;
	t[1] += t[0] < inc;
	return 0;
}

static bool zeros(const u8 *from, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (from[i] != 0)
			return false;
	}
	return true;
}

static RIG_PLAIN int op_compress(void *memory, uint64_t h[8], uint64_t t[2], uint64_t f[2],
				 const void *blocks, size_t nblocks, uint32_t inc)
{
	struct blake2b_ctx *ctx = memory;

	if (nblocks == 0 || inc > BLAKE2B_BLOCK_SIZE)
		return RIG_UNREACHABLE;

	__builtin_memcpy(ctx->h, h, sizeof(ctx->h));
	__builtin_memcpy(ctx->t, t, sizeof(ctx->t));
	__builtin_memcpy(ctx->f, f, sizeof(ctx->f));
	ctx->buflen = 0;
	ctx->outlen = BLAKE2B_HASH_SIZE;

	if (inc == BLAKE2B_BLOCK_SIZE)
		return by_update(ctx, h, t, f, blocks, nblocks);
	if (nblocks == 1 && f[0] == UINT64_MAX &&
	    zeros((const u8 *)blocks + inc, BLAKE2B_BLOCK_SIZE - inc))
		return by_final(ctx, h, t, blocks, inc);
	return RIG_UNREACHABLE;
}

const struct rig_ops rig_ops = {
	.adapter = "linux",
	.features = RIG_HAS_COMPRESS | RIG_HAS_COUNTER,
	.ctx_size = sizeof(struct blake2b_ctx),
	.ctx_align = _Alignof(struct blake2b_ctx),
	.init = op_init,
	.update = op_update,
	.final = op_final,
	.preset = op_preset,
	.compress = op_compress,
};
