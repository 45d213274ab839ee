/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b compress, unrolled: twelve rounds written out, the message schedule folded into them.
 * Written from RFC 7693, section 3.2.
 */
#include "blake2b.h"

/* RFC 7693, section 2.6 */
static const uint64_t iv[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static inline uint64_t ror64(uint64_t word, unsigned int count)
{
	return (word >> count) | (word << (64 - count));
}

static inline uint64_t from_little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(word);
#else
	return word;
#endif
}

/* RFC 7693, section 3.1 */
#define G(a, b, c, d, x, y)              \
	do {                             \
		a += b + (x);            \
		d = ror64(d ^ a, 32);    \
		c += d;                  \
		b = ror64(b ^ c, 24);    \
		a += b + (y);            \
		d = ror64(d ^ a, 16);    \
		c += d;                  \
		b = ror64(b ^ c, 63);    \
	} while (0)

/* one round with its row of the schedule, RFC 7693, section 2.7 */
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)	\
	do {										\
		G(v[0], v[4], v[8], v[12], m[s0], m[s1]);				\
		G(v[1], v[5], v[9], v[13], m[s2], m[s3]);				\
		G(v[2], v[6], v[10], v[14], m[s4], m[s5]);				\
		G(v[3], v[7], v[11], v[15], m[s6], m[s7]);				\
		G(v[0], v[5], v[10], v[15], m[s8], m[s9]);				\
		G(v[1], v[6], v[11], v[12], m[s10], m[s11]);				\
		G(v[2], v[7], v[8], v[13], m[s12], m[s13]);				\
		G(v[3], v[4], v[9], v[14], m[s14], m[s15]);				\
	} while (0)

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	int i;

	do {
		state->t[0] += inc;
		state->t[1] += state->t[0] < inc;

		__builtin_memcpy(m, blocks, sizeof(m));
		for (i = 0; i < 16; i++)
			m[i] = from_little_endian(m[i]);

		for (i = 0; i < 8; i++)
			v[i] = state->h[i];
		v[8] = iv[0];
		v[9] = iv[1];
		v[10] = iv[2];
		v[11] = iv[3];
		v[12] = iv[4] ^ state->t[0];
		v[13] = iv[5] ^ state->t[1];
		v[14] = iv[6] ^ state->f[0];
		v[15] = iv[7] ^ state->f[1];

		ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
		ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
		ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
		ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
		ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
		ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
		ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
		ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
		ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
		ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);

		for (i = 0; i < 8; i++)
			state->h[i] ^= v[i] ^ v[i + 8];

		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
