/* SPDX-License-Identifier: MIT */
/*
 * The ops of every core whose context is struct blake2b_state. Included once, by an adapter that
 * has defined RIG_ADAPTER, its folder's name.
 */
#ifndef RIG_CONTRACT_OPS_H
#define RIG_CONTRACT_OPS_H

#include "blake2b.h"
#include "ops.h"

static RIG_PLAIN void op_init(void *ctx, size_t outlen, const void *key, size_t keylen)
{
	blake2b_init(ctx, outlen, key, keylen);
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

	blake2b_compress(state, blocks, nblocks, inc);

	__builtin_memcpy(h, state->h, sizeof(state->h));
	__builtin_memcpy(t, state->t, sizeof(state->t));
	__builtin_memcpy(f, state->f, sizeof(state->f));
	if (op_differ(before.buf, state->buf, sizeof(before.buf)) || before.buflen != state->buflen ||
	    before.outlen != state->outlen)
		return RIG_CLOBBERED;
	return 0;
}

const struct rig_ops rig_ops = {
	.adapter = RIG_ADAPTER,
	.features = RIG_HAS_COMPRESS | RIG_HAS_FLAGS | RIG_HAS_COUNTER,
	.ctx_size = sizeof(struct blake2b_state),
	.ctx_align = _Alignof(struct blake2b_state),
	.init = op_init,
	.update = op_update,
	.final = op_final,
	.preset = op_preset,
	.compress = op_compress,
};

#endif
