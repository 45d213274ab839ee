/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b compress, quick: both halves of a round written out, its words kept in memory in the
 * order that suits the CPU. Written from RFC 7693, section 3.2. Meant for 32-bit CPUs.
 *
 * Memory on purpose
 *
 * Sixteen words of 64 bits do not fit into the registers of a 32-bit CPU. Left alone, compilers
 * make sixteen variables of v and spill them as they come. So v stays in memory: its address
 * escapes once, through a volatile pointer, and fence() stands where a step ends. A fence makes
 * no machine code. It tells the compiler that memory may be looked at here, so that what was
 * stored is in memory, and that it may have changed, so that nothing is kept in registers from
 * before.
 *
 * Columns and diagonals
 *
 * See v as four rows of four words: a = v[0..3], b = v[4..7], c = v[8..11], d = v[12..15]. The
 * G number s of a round's first half mixes column s. That of the second half mixes a diagonal: it
 * takes place s of row a, but s + 1 of row b, s + 2 of row c and s + 3 of row d (mod 4). With
 * @half being 0 or 1, a row's place is therefore s + row * half. All of it is known when the code
 * is compiled: nothing is moved, and no index is left.
 *
 * Three forms
 *
 * i386 goes through four columns phase by phase, other 32-bit CPUs column by column. With 64-bit
 * registers v nearly fits into them, and the plain loop over the rounds is the quick form; there,
m is copied, so that a message word is one operand at a known place of the stack.
 */
#include <stdatomic.h>

#include "blake2b.h"

#define ROUNDS 12
#define ALWAYS_INLINE inline __attribute__((always_inline))

#if defined(__i386__)
#define FORM_PHASES
#elif UINTPTR_MAX > 0xffffffff
#define FORM_REGISTERS
#else
#define FORM_COLUMNS
#endif

/* for short loops that would only grow: set-up and the end run once a block */
#if defined(__clang__)
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif

/* RFC 7693, section 2.6 */
static const uint64_t iv[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/* RFC 7693, section 2.7; rounds 10 and 11 use the rows of rounds 0 and 1 again */
static const uint8_t sigma[ROUNDS * 16] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
	11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
	7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
	9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
	2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
	12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
	13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
	6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
	10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
};

/* four bytes at any alignment, as a little-endian number; compilers make one load of it */
static ALWAYS_INLINE uint32_t load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#if !defined(FORM_REGISTERS)

static ALWAYS_INLINE void fence(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* the places of the words of the G number @s, see above */
#define A(s, half) (0 + (s))
#define B(s, half) (4 + (((s) + (half)) & 3))
#define C(s, half) (8 + (((s) + 2 * (half)) & 3))
#define D(s, half) (12 + (((s) + 3 * (half)) & 3))

#endif

#if defined(FORM_PHASES)

/*
 * i386: seven registers hold three pairs at best, so a whole G cannot stay in them. Each half
 * round runs in four phases, and each phase takes the four columns one after the other. A phase
 * needs two words at a time, and the chains of the four columns, independent of each other,
 * stand side by side for the CPU to overlap. The message is read where it lies.
 *
 * A word is written as its two halves: a rotation by 32 is then a change of names, and the
 * others need no double-word shift (shld), which costs more than its one instruction shows.
 */
typedef struct {
	uint32_t lo, hi;
} word;

static ALWAYS_INLINE uint64_t join(word x)
{
	return (uint64_t)x.hi << 32 | x.lo;
}

static ALWAYS_INLINE word split(uint64_t x)
{
	word r = { (uint32_t)x, (uint32_t)(x >> 32) };

	return r;
}

static ALWAYS_INLINE word add(word x, word y)
{
	return split(join(x) + join(y));
}

static ALWAYS_INLINE word xor(word x, word y)
{
	word r = { x.lo ^ y.lo, x.hi ^ y.hi };

	return r;
}

static ALWAYS_INLINE word ror32(word x)
{
	word r = { x.hi, x.lo };

	return r;
}

/*
 * Rotate right by 32 - @n. Each half goes left by @n; the @n bits that should have gone over into
 * the other half are now at the bottom of their own, and change places.
 */
static ALWAYS_INLINE word ror32_minus(word x, unsigned int n)
{
	word r = { x.hi << n | x.hi >> (32 - n), x.lo << n | x.lo >> (32 - n) };
	uint32_t differ = (r.lo ^ r.hi) & ((1u << n) - 1);

	r.lo ^= differ;
	r.hi ^= differ;
	return r;
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_addc)
#define HAVE_ADDC
#endif
#endif

/* rotate left by 1: double the word, and add the bit that falls out at the bottom */
static ALWAYS_INLINE word ror63(word x)
{
#if defined(HAVE_ADDC)
	unsigned int carry;

	x.lo = __builtin_addc(x.lo, x.lo, 0, &carry);
	x.hi = __builtin_addc(x.hi, x.hi, carry, &carry);
	x.lo = __builtin_addc(x.lo, 0, carry, &carry);
	return x;
#else
	return split((join(x) << 1) + (x.hi >> 31));
#endif
}

static ALWAYS_INLINE word message(const uint8_t *block, size_t i)
{
	word r = { load32(block + 8 * i), load32(block + 8 * i + 4) };

	return r;
}

/* a += b + x; d = (d ^ a) >>> 32; c += d */
static ALWAYS_INLINE void phase_1(word *v, unsigned int s, unsigned int half,
				  const uint8_t *block, const uint8_t *pairs)
{
	word a = add(add(v[B(s, half)], v[A(s, half)]), message(block, pairs[2 * s]));
	word d = ror32(xor(v[D(s, half)], a));

	v[A(s, half)] = a;
	v[D(s, half)] = d;
	v[C(s, half)] = add(d, v[C(s, half)]);
	fence();
}

/* b = (b ^ c) >>> 24; a += b + y */
static ALWAYS_INLINE void phase_2(word *v, unsigned int s, unsigned int half,
				  const uint8_t *block, const uint8_t *pairs)
{
	word b = ror32_minus(xor(v[B(s, half)], v[C(s, half)]), 8);

	v[B(s, half)] = b;
	v[A(s, half)] = add(add(b, v[A(s, half)]), message(block, pairs[2 * s + 1]));
	fence();
}

/* d = (d ^ a) >>> 16; c += d */
static ALWAYS_INLINE void phase_3(word *v, unsigned int s, unsigned int half)
{
	word d = ror32_minus(xor(v[D(s, half)], v[A(s, half)]), 16);

	v[D(s, half)] = d;
	v[C(s, half)] = add(d, v[C(s, half)]);
	fence();
}

/* b = (b ^ c) >>> 63 */
static ALWAYS_INLINE void phase_4(word *v, unsigned int s, unsigned int half)
{
	v[B(s, half)] = ror63(xor(v[B(s, half)], v[C(s, half)]));
	fence();
}

static ALWAYS_INLINE void half_round(word *v, unsigned int half, const uint8_t *block,
				     const uint8_t *pairs)
{
	phase_1(v, 0, half, block, pairs);
	phase_1(v, 1, half, block, pairs);
	phase_1(v, 2, half, block, pairs);
	phase_1(v, 3, half, block, pairs);

	phase_2(v, 0, half, block, pairs);
	phase_2(v, 1, half, block, pairs);
	phase_2(v, 2, half, block, pairs);
	phase_2(v, 3, half, block, pairs);

	phase_3(v, 0, half);
	phase_3(v, 1, half);
	phase_3(v, 2, half);
	phase_3(v, 3, half);

	phase_4(v, 0, half);
	phase_4(v, 1, half);
	phase_4(v, 2, half);
	phase_4(v, 3, half);
}

#else

static ALWAYS_INLINE uint64_t ror64(uint64_t x, unsigned int n)
{
	return x >> n | x << (64 - n);
}

static ALWAYS_INLINE uint64_t message(const uint8_t *block, size_t i)
{
	return (uint64_t)load32(block + 8 * i + 4) << 32 | load32(block + 8 * i);
}

#endif

#if defined(FORM_COLUMNS)

/*
 * A whole G fits into the registers of arm: its four words and a message word take ten of the
 * fourteen. Each column is loaded, mixed and stored; fences keep the two halves of a word next to
 * each other, so that arm loads and stores them as a pair (ldrd, strd). The message is read where
 * it lies.
 */
typedef uint64_t word;

static ALWAYS_INLINE uint64_t join(word x)
{
	return x;
}

static ALWAYS_INLINE word split(uint64_t x)
{
	return x;
}

static ALWAYS_INLINE word xor(word x, word y)
{
	return x ^ y;
}

static ALWAYS_INLINE void mix(word *v, unsigned int s, unsigned int half, const uint8_t *block,
			      const uint8_t *pairs)
{
	uint64_t a = v[A(s, half)];
	uint64_t b = v[B(s, half)];
	uint64_t c = v[C(s, half)];
	uint64_t d = v[D(s, half)];
	uint64_t m;

	fence();
	m = message(block, pairs[2 * s]);
	fence();
	a += b;
	a += m;
	d = ror64(d ^ a, 32);
	c += d;
	b = ror64(b ^ c, 24);
	fence();
	m = message(block, pairs[2 * s + 1]);
	fence();
	a += b;
	a += m;
	v[A(s, half)] = a;
	fence();
	d = ror64(d ^ a, 16);
	v[D(s, half)] = d;
	fence();
	c += d;
	v[C(s, half)] = c;
	fence();
	b = ror64(b ^ c, 63);
	v[B(s, half)] = b;
	fence();
}

static ALWAYS_INLINE void half_round(word *v, unsigned int half, const uint8_t *block,
				     const uint8_t *pairs)
{
	mix(v, 0, half, block, pairs);
	mix(v, 1, half, block, pairs);
	mix(v, 2, half, block, pairs);
	mix(v, 3, half, block, pairs);
}

#endif

#if !defined(FORM_REGISTERS)

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	word v[16];
	word *volatile escape = v;
	/* read through volatile pointers: indices known too well get hoisted and spilled */
	const uint8_t *volatile first = sigma;
	const uint8_t *volatile last = sigma + sizeof(sigma);
	const uint8_t *pairs;
	int i;

	(void)escape;
	do {
		state->t[0] += inc;
		state->t[1] += state->t[0] < inc;

		NO_UNROLL
		for (i = 0; i < 8; i++) {
			v[i] = split(state->h[i]);
			v[i + 8] = split(iv[i]);
			fence();
		}
		NO_UNROLL
		for (i = 0; i < 2; i++) {
			v[i + 12] = xor(v[i + 12], split(state->t[i]));
			fence();
			v[i + 14] = xor(v[i + 14], split(state->f[i]));
			fence();
		}

		pairs = first;
		do {
			half_round(v, 0, blocks, pairs);
			half_round(v, 1, blocks, pairs + 8);
			pairs += 16;
		} while (pairs != last);

		NO_UNROLL
		for (i = 0; i < 8; i++) {
			state->h[i] ^= join(v[i]) ^ join(v[i + 8]);
			fence();
		}

		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}

#else

/* RFC 7693, section 3.1 */
#define G(a, b, c, d, pair)            \
	do {                           \
		a += b + m[(pair)[0]]; \
		d = ror64(d ^ a, 32);  \
		c += d;                \
		b = ror64(b ^ c, 24);  \
		a += b + m[(pair)[1]]; \
		d = ror64(d ^ a, 16);  \
		c += d;                \
		b = ror64(b ^ c, 63);  \
	} while (0)

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	/* read through volatile pointers: indices known too well get hoisted and spilled */
	const uint8_t *volatile first = sigma;
	const uint8_t *volatile last = sigma + sizeof(sigma);
	const uint8_t *pairs;
	uint64_t v[16], m[16];
	unsigned int i;

	do {
		state->t[0] += inc;
		state->t[1] += state->t[0] < inc;

		for (i = 0; i < 16; i++)
			m[i] = message(blocks, i);

		v[0] = state->h[0];
		v[1] = state->h[1];
		v[2] = state->h[2];
		v[3] = state->h[3];
		v[4] = state->h[4];
		v[5] = state->h[5];
		v[6] = state->h[6];
		v[7] = state->h[7];
		v[8] = iv[0];
		v[9] = iv[1];
		v[10] = iv[2];
		v[11] = iv[3];
		v[12] = iv[4] ^ state->t[0];
		v[13] = iv[5] ^ state->t[1];
		v[14] = iv[6] ^ state->f[0];
		v[15] = iv[7] ^ state->f[1];

		pairs = first;
		do {
			G(v[0], v[4], v[8], v[12], pairs);
			G(v[1], v[5], v[9], v[13], pairs + 2);
			G(v[2], v[6], v[10], v[14], pairs + 4);
			G(v[3], v[7], v[11], v[15], pairs + 6);
			G(v[0], v[5], v[10], v[15], pairs + 8);
			G(v[1], v[6], v[11], v[12], pairs + 10);
			G(v[2], v[7], v[8], v[13], pairs + 12);
			G(v[3], v[4], v[9], v[14], pairs + 14);
			pairs += 16;
		} while (pairs != last);

		state->h[0] ^= v[0] ^ v[8];
		state->h[1] ^= v[1] ^ v[9];
		state->h[2] ^= v[2] ^ v[10];
		state->h[3] ^= v[3] ^ v[11];
		state->h[4] ^= v[4] ^ v[12];
		state->h[5] ^= v[5] ^ v[13];
		state->h[6] ^= v[6] ^ v[14];
		state->h[7] ^= v[7] ^ v[15];

		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}

#endif
