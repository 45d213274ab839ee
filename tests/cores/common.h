/* SPDX-License-Identifier: MIT */
/*
 * What the unusual cores have in common with any other, so that each shows what is unusual.
 * Written from RFC 7693, sections 2 and 3.
 */
#ifndef UNUSUAL_COMMON_H
#define UNUSUAL_COMMON_H

#include "blake2b.h"

#define ROUNDS 12

static const uint8_t sigma[10][16] = {
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

static const uint64_t iv[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static inline uint64_t ror64(uint64_t word, unsigned int count)
{
	return (word >> count) | (word << (64 - count));
}

static inline uint64_t load64(const uint8_t *bytes)
{
	uint64_t word;

	__builtin_memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static inline void load_block(uint64_t m[16], const uint8_t *block)
{
	int i;

	for (i = 0; i < 16; i++)
		m[i] = load64(block + 8 * i);
}

#define G(a, b, c, d, x, y)           \
	do {                          \
		a += b + (x);         \
		d = ror64(d ^ a, 32); \
		c += d;               \
		b = ror64(b ^ c, 24); \
		a += b + (y);         \
		d = ror64(d ^ a, 16); \
		c += d;               \
		b = ror64(b ^ c, 63); \
	} while (0)

static inline void mix(uint64_t v[16], const uint64_t m[16], const uint8_t *s)
{
	G(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
	G(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
	G(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
	G(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
	G(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
	G(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
	G(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
	G(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
}

static inline void count(struct blake2b_state *state, uint32_t inc)
{
	state->t[0] += inc;
	state->t[1] += state->t[0] < inc;
}

static inline void begin(uint64_t v[16], const struct blake2b_state *state)
{
	int i;

	for (i = 0; i < 8; i++) {
		v[i] = state->h[i];
		v[i + 8] = iv[i];
	}
	v[12] ^= state->t[0];
	v[13] ^= state->t[1];
	v[14] ^= state->f[0];
	v[15] ^= state->f[1];
}

static inline void fold(struct blake2b_state *state, const uint64_t v[16])
{
	int i;

	for (i = 0; i < 8; i++)
		state->h[i] ^= v[i] ^ v[i + 8];
}

#endif
