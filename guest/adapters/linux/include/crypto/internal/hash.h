/* SPDX-License-Identifier: MIT */
/*
 * Shim of <crypto/internal/hash.h>: enough of the kernel's hash registration for the code around
 * a compress function to compile. The adapter calls the hash without it.
 */
#ifndef RIG_CRYPTO_INTERNAL_HASH_H
#define RIG_CRYPTO_INTERNAL_HASH_H

#pragma GCC system_header

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#define CRYPTO_ALG_OPTIONAL_KEY 0x4000
#define CRYPTO_MAX_ALG_NAME 128

struct crypto_alg {
	char cra_name[CRYPTO_MAX_ALG_NAME];
	char cra_driver_name[CRYPTO_MAX_ALG_NAME];
	int cra_priority;
	unsigned int cra_flags;
	unsigned int cra_blocksize;
	unsigned int cra_ctxsize;
	unsigned int cra_alignmask;
	struct module *cra_module;
};

struct crypto_shash {
	unsigned int digestsize;
	void *context; /* of the transform: its key */
};

struct shash_desc {
	struct crypto_shash *tfm;
	void *context; /* of one hash */
};

struct shash_alg {
	int (*init)(struct shash_desc *desc);
	int (*update)(struct shash_desc *desc, const u8 *in, unsigned int inlen);
	int (*final)(struct shash_desc *desc, u8 *out);
	int (*setkey)(struct crypto_shash *tfm, const u8 *key, unsigned int keylen);
	unsigned int digestsize;
	unsigned int descsize;
	unsigned int statesize;
	struct crypto_alg base;
};

static inline void *crypto_shash_ctx(struct crypto_shash *tfm)
{
	return tfm->context;
}

static inline unsigned int crypto_shash_digestsize(struct crypto_shash *tfm)
{
	return tfm->digestsize;
}

static inline void *shash_desc_ctx(struct shash_desc *desc)
{
	return desc->context;
}

int crypto_register_shashes(struct shash_alg *algs, int count);
void crypto_unregister_shashes(struct shash_alg *algs, int count);

#endif
