// SPDX-License-Identifier: MIT
/* The miniature kernel tree: BLAKE2b of RFC 7693 as a registered hash. */
#include <linux/unaligned.h>
#include <linux/module.h>
#include <linux/kernel.h>
#include <linux/bitops.h>
#include <crypto/internal/blake2b.h>
#include <crypto/internal/hash.h>

/* RFC 7693, section 2.7 */
static const u8 schedule[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline void mix(u64 v[16], int a, int b, int c, int d, u64 x, u64 y)
{
	v[a] += v[b] + x;
	v[d] = ror64(v[d] ^ v[a], 32);
	v[c] += v[d];
	v[b] = ror64(v[b] ^ v[c], 24);
	v[a] += v[b] + y;
	v[d] = ror64(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = ror64(v[b] ^ v[c], 63);
}

void blake2b_compress_generic(struct blake2b_state *ctx, const u8 *data, size_t nblocks, u32 inc)
{
	u64 m[16];
	u64 v[16];

	for (; nblocks > 0; nblocks--, data += BLAKE2B_BLOCK_SIZE) {
		ctx->t[0] += inc;
		ctx->t[1] += ctx->t[0] < inc;
		for (int i = 0; i < 16; i++)
			m[i] = get_unaligned_le64(data + i * sizeof(m[i]));
		memcpy(v, ctx->h, sizeof(ctx->h));
		v[8] = BLAKE2B_IV0;
		v[9] = BLAKE2B_IV1;
		v[10] = BLAKE2B_IV2;
		v[11] = BLAKE2B_IV3;
		v[12] = BLAKE2B_IV4 ^ ctx->t[0];
		v[13] = BLAKE2B_IV5 ^ ctx->t[1];
		v[14] = BLAKE2B_IV6 ^ ctx->f[0];
		v[15] = BLAKE2B_IV7 ^ ctx->f[1];

		for (int r = 0; r < 12; r++) {
			const u8 *s = schedule[r % 10];

			mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
			mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
			mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
			mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
			mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
			mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
			mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
			mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
		}

		for (int i = 0; i < 8; i++)
			ctx->h[i] ^= v[i] ^ v[i + 8];
	}
}
EXPORT_SYMBOL(blake2b_compress_generic);

static int update(struct shash_desc *desc, const u8 *in, unsigned int inlen)
{
	__blake2b_update(shash_desc_ctx(desc), in, inlen, blake2b_compress_generic);
	return 0;
}

static int final(struct shash_desc *desc, u8 *out)
{
	__blake2b_final(shash_desc_ctx(desc), out, blake2b_compress_generic);
	return 0;
}

static struct shash_alg algs[] = {
	{
		.base.cra_name = "blake2b-512",
		.base.cra_driver_name = "blake2b-512-mini",
		.base.cra_priority = 100,
		.base.cra_blocksize = BLAKE2B_BLOCK_SIZE,
		.base.cra_module = THIS_MODULE,
		.digestsize = BLAKE2B_HASH_SIZE,
		.update = update,
		.final = final,
		.descsize = sizeof(struct blake2b_state),
	},
};

static int __init mini_init(void)
{
	return crypto_register_shashes(algs, ARRAY_SIZE(algs));
}

static void __exit mini_exit(void)
{
	crypto_unregister_shashes(algs, ARRAY_SIZE(algs));
}

subsys_initcall(mini_init);
module_exit(mini_exit);

MODULE_DESCRIPTION("BLAKE2b of a miniature kernel");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_ALIAS_CRYPTO("blake2b-512");
