/* SPDX-License-Identifier: MIT */
/* The four rows as vectors of the compiler, which makes plain words of them where it must. */
#include "common.h"

typedef uint64_t row_t __attribute__((vector_size(32)));

#define ROR(row, n) (((row) >> (n)) | ((row) << (64 - (n))))

#define HALF(x, first, second)            \
	do {                              \
		a += b + (x);             \
		d ^= a;                   \
		d = ROR(d, first);        \
		c += d;                   \
		b ^= c;                   \
		b = ROR(b, second);       \
	} while (0)

#define TURN(row, i, j, k, l)                                            \
	do {                                                             \
		const row_t turned = { row[i], row[j], row[k], row[l] }; \
		row = turned;                                            \
	} while (0)

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t m[16];
	uint64_t v[16];
	row_t a;
	row_t b;
	row_t c;
	row_t d;
	int i;

	do {
		count(state, inc);
		load_block(m, blocks);
		begin(v, state);
		__builtin_memcpy(&a, v, sizeof(a));
		__builtin_memcpy(&b, v + 4, sizeof(b));
		__builtin_memcpy(&c, v + 8, sizeof(c));
		__builtin_memcpy(&d, v + 12, sizeof(d));
		for (i = 0; i < ROUNDS; i++) {
			const uint8_t *s = sigma[i % 10];
			const row_t w = { m[s[0]], m[s[2]], m[s[4]], m[s[6]] };
			const row_t x = { m[s[1]], m[s[3]], m[s[5]], m[s[7]] };
			const row_t y = { m[s[8]], m[s[10]], m[s[12]], m[s[14]] };
			const row_t z = { m[s[9]], m[s[11]], m[s[13]], m[s[15]] };

			HALF(w, 32, 24);
			HALF(x, 16, 63);
			TURN(b, 1, 2, 3, 0);
			TURN(c, 2, 3, 0, 1);
			TURN(d, 3, 0, 1, 2);
			HALF(y, 32, 24);
			HALF(z, 16, 63);
			TURN(b, 3, 0, 1, 2);
			TURN(c, 2, 3, 0, 1);
			TURN(d, 1, 2, 3, 0);
		}
		__builtin_memcpy(v, &a, sizeof(a));
		__builtin_memcpy(v + 4, &b, sizeof(b));
		__builtin_memcpy(v + 8, &c, sizeof(c));
		__builtin_memcpy(v + 12, &d, sizeof(d));
		fold(state, v);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
