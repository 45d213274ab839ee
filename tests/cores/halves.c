/* SPDX-License-Identifier: MIT */
/* Every 64-bit word as two of 32 bits, as for CPUs that have no others. */
#include "common.h"

struct word {
	uint32_t low;
	uint32_t high;
};

static struct word split(uint64_t word)
{
	const struct word halves = { (uint32_t)word, (uint32_t)(word >> 32) };

	return halves;
}

static uint64_t join(struct word word)
{
	return (uint64_t)word.high << 32 | word.low;
}

static void add(struct word *to, struct word other)
{
	to->low += other.low;
	to->high += other.high + (to->low < other.low);
}

static void xor(struct word *to, struct word other)
{
	to->low ^= other.low;
	to->high ^= other.high;
}

/* to the right by less than 32 bits */
static void rotate(struct word *word, unsigned int count)
{
	const uint32_t low = word->low;

	word->low = low >> count | word->high << (32 - count);
	word->high = word->high >> count | low << (32 - count);
}

static void swap(struct word *word)
{
	const uint32_t low = word->low;

	word->low = word->high;
	word->high = low;
}

static void half_g(struct word *a, struct word *b, struct word *d, struct word x)
{
	add(a, *b);
	add(a, x);
	xor(d, *a);
}

static void g(struct word *a, struct word *b, struct word *c, struct word *d, struct word x,
	      struct word y)
{
	half_g(a, b, d, x);
	swap(d);
	add(c, *d);
	xor(b, *c);
	rotate(b, 24);
	half_g(a, b, d, y);
	rotate(d, 16);
	add(c, *d);
	xor(b, *c);
	rotate(b, 31); /* 63 is 32, a swap, and 31 */
	swap(b);
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	uint64_t words[16];
	struct word m[16];
	struct word v[16];
	int i;
	int j;

	do {
		count(state, inc);
		load_block(words, blocks);
		for (i = 0; i < 16; i++)
			m[i] = split(words[i]);
		begin(words, state);
		for (i = 0; i < 16; i++)
			v[i] = split(words[i]);
		for (i = 0; i < ROUNDS; i++) {
			const uint8_t *s = sigma[i % 10];

			for (j = 0; j < 4; j++)
				g(&v[j], &v[4 + j], &v[8 + j], &v[12 + j], m[s[2 * j]],
				  m[s[2 * j + 1]]);
			for (j = 0; j < 4; j++)
				g(&v[j], &v[4 + (j + 1) % 4], &v[8 + (j + 2) % 4],
				  &v[12 + (j + 3) % 4], m[s[8 + 2 * j]], m[s[9 + 2 * j]]);
		}
		for (i = 0; i < 8; i++)
			state->h[i] ^= join(v[i]) ^ join(v[i + 8]);
		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}
