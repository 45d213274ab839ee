/* SPDX-License-Identifier: MIT */
/*
 * The contract of a core: the BLAKE2b compress function F of RFC 7693, section 3.2,
 * in the form that callers of a hash library need.
 */
#ifndef RIG_BLAKE2B_H
#define RIG_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

#define BLAKE2B_BLOCK_BYTES 128 /* bb in RFC 7693, section 2.1 */
#define BLAKE2B_HASH_BYTES 64	/* the largest digest, nn */
#define BLAKE2B_KEY_BYTES 64	/* the largest key, kk */

struct blake2b_state {
	uint64_t h[8]; /* chaining value, host byte order */
	uint64_t t[2]; /* bytes hashed so far, a 128-bit counter, low word first */
	uint64_t f[2]; /* finalization flags: f[0] all ones in the last block */
	uint8_t buf[BLAKE2B_BLOCK_BYTES]; /* input not compressed yet */
	size_t buflen;			  /* bytes in buf, 0 to 128 */
	size_t outlen;			  /* digest size in bytes, 1 to 64 */
};

/*
 * blake2b_compress - fold blocks into the chaining value
 * @state: h, t and f are read, h and t are written; the rest is left alone
 * @blocks: @nblocks blocks of 128 bytes, at any alignment, not written
 * @nblocks: one or more; more than one only with @inc = 128
 * @inc: bytes that each block adds to the 128-bit counter t before it is mixed, 0 to 128
 *
 * This is what a core defines, and all that it defines with external linkage. A core keeps no
 * state of its own: it has no writable data.
 */
void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc);

/*
 * The hash around the core, in guest/blake2b.c for cores that offer compress alone.
 * blake2b_init takes @outlen from 1 to 64 and @keylen from 0 to 64.
 */
void blake2b_init(struct blake2b_state *state, size_t outlen, const void *key, size_t keylen);
void blake2b_update(struct blake2b_state *state, const void *in, size_t inlen);
void blake2b_final(struct blake2b_state *state, void *out);

#endif
