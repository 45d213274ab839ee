/* SPDX-License-Identifier: MIT */
/*
 * For the kernel's crypto/blake2b_generic.c, as it was before the hash moved to lib/crypto. Its
 * compress function is global; update and final are inline in a header of the tree.
 */
#include <crypto/internal/blake2b.h>

#include "ops.h"

/* Registration is part of the unit and never called; weak, since a program may hold two cores. */
__weak int crypto_register_shashes(struct shash_alg *algs, int count)
{
	(void)algs;
	(void)count;
	return -EINVAL;
}

__weak void crypto_unregister_shashes(struct shash_alg *algs, int count)
{
	(void)algs;
	(void)count;
}

static RIG_PLAIN void op_init(void *ctx, size_t outlen, const void *key, size_t keylen)
{
	__blake2b_init(ctx, outlen, key, keylen);
}

static RIG_PLAIN void op_update(void *ctx, const void *in, size_t inlen)
{
	__blake2b_update(ctx, in, inlen, blake2b_compress_generic);
}

static RIG_PLAIN void op_final(void *ctx, void *out)
{
	__blake2b_final(ctx, out, blake2b_compress_generic);
}

static RIG_PLAIN void op_preset(void *ctx, const uint64_t t[2])
{
	struct blake2b_state *state = ctx;

	state->t[0] = t[0];
	state->t[1] = t[1];
}

static RIG_PLAIN int op_compress(void *ctx, uint64_t h[8], uint64_t t[2], uint64_t f[2],
				 const void *blocks, size_t nblocks, uint32_t inc)
{
	struct blake2b_state *state = ctx;
	struct blake2b_state before;

	__builtin_memcpy(state->h, h, sizeof(state->h));
	__builtin_memcpy(state->t, t, sizeof(state->t));
	__builtin_memcpy(state->f, f, sizeof(state->f));
	__builtin_memcpy(&before, state, sizeof(before));

	blake2b_compress_generic(state, blocks, nblocks, inc);

	__builtin_memcpy(h, state->h, sizeof(state->h));
	__builtin_memcpy(t, state->t, sizeof(state->t));
	__builtin_memcpy(f, state->f, sizeof(state->f));
	if (op_differ(before.buf, state->buf, sizeof(before.buf)) || before.buflen != state->buflen ||
	    before.outlen != state->outlen)
		return RIG_CLOBBERED;
	return 0;
}

const struct rig_ops rig_ops = {
	.adapter = "linux-generic",
	.features = RIG_HAS_COMPRESS | RIG_HAS_FLAGS | RIG_HAS_COUNTER,
	.ctx_size = sizeof(struct blake2b_state),
	.ctx_align = _Alignof(struct blake2b_state),
	.init = op_init,
	.update = op_update,
	.final = op_final,
	.preset = op_preset,
	.compress = op_compress,
};
