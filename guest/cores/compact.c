/* SPDX-License-Identifier: MIT */
/*
 * BLAKE2b compress, compact: one body for the column step and for the diagonal step of a round.
 * Written from RFC 7693, section 3.2. Meant for 32-bit CPUs, right everywhere.
 *
 * One body for both half rounds
 *
 * See v as four rows of four words: a = v[0..3], b = v[4..7], c = v[8..11], d = v[12..15]. The
 * first half of a round mixes the columns, the second half the diagonals: a, b, c, d start one
 * place further right in each row. Here every half round mixes columns, and moves the words while
 * it stores them: what column s computed goes to
 *
 *	row a: place -s    row b: place 1 - s    row c: place 2 - s    row d: place 3 - s   (mod 4)
 *
 * After that, place j of row r holds the word of column r - j, so column j holds the diagonal
 * that starts at -j: the same code now mixes diagonals, in the order 0, 3, 2, 1. And each of the
 * maps is its own inverse (r - (r - s) = s), so that half round puts all words back. The twelve
 * rounds are 24 turns of one loop. Only the message schedule has to know: its second half lists
 * the pairs of the diagonals in that order.
 *
 * Memory on purpose
 *
 * Sixteen words of 64 bits do not fit into the registers of a 32-bit CPU. Left alone, compilers
 * make sixteen variables of v and spill them as they come. So v stays in memory: its address
 * escapes once, through a volatile pointer, and fence() stands where a step ends. A fence makes
 * no machine code. It tells the compiler that memory may be looked at here, so that what was
 * stored is in memory, and that it may have changed, so that nothing is kept in registers from
 * before.
 */
#include <stdatomic.h>

#include "blake2b.h"

#define ROUNDS 12
#define ALWAYS_INLINE inline __attribute__((always_inline))

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

/*
 * One row of RFC 7693, section 2.7, in the order in which this core reads it: the pairs of the
 * columns, then those of the diagonals 0, 3, 2, 1. The form for 64-bit words takes the columns
 * in the order 0, 2, 1, 3.
 */
#if defined(__i386__)
#define SCHEDULE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	a, b, c, d, e, f, g, h, i, j, o, p, m, n, k, l
#else
#define SCHEDULE(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	a, b, e, f, c, d, g, h, i, j, m, n, o, p, k, l
#endif

/* rounds 10 and 11 use the rows of rounds 0 and 1 again */
static const uint8_t schedule[ROUNDS * 16] = {
	SCHEDULE(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
	SCHEDULE(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
	SCHEDULE(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
	SCHEDULE(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
	SCHEDULE(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
	SCHEDULE(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
	SCHEDULE(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
	SCHEDULE(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
	SCHEDULE(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
	SCHEDULE(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
	SCHEDULE(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
	SCHEDULE(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
};

static ALWAYS_INLINE void fence(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* four bytes at any alignment, as a little-endian number; compilers make one load of it */
static ALWAYS_INLINE uint32_t load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#if defined(__i386__)

/*
 * i386: seven registers hold three pairs at best, so a whole G cannot stay in them. Each half
 * round runs in four phases, and each phase takes the four columns one after the other. A phase
 * needs two words at a time, and the chains of the four columns, independent of each other,
 * stand side by side for the CPU to overlap. The message is read where it lies.
 *
 * A word is written as its two halves: a rotation by 32 is then a change of names, and the
 * others need no double-word shift (shld), which costs more than its one instruction shows.
 */
struct word {
	uint32_t lo, hi;
};

/*
 * Where the words are between the phases. A column may store a word in its new place only when
 * the word that is there has been read for the last time. Where that comes too late, the word
 * waits in one of six spare slots behind v.
 */
#define SLOTS 22
#define A(s) (0 + ((s) & 3))
#define B(s) (4 + ((s) & 3))
#define C(s) (8 + ((s) & 3))
#define D(s) (12 + ((s) & 3))
#define WAIT_A(s) ((s) == 3 ? 16 : A(s))
#define WAIT_B(s) ((s) == 1 ? 17 : (s) == 3 ? 18 : B(s))
#define WAIT_C(s) ((s) == 2 ? 19 : C(s))
#define WAIT_D(s) ((s) == 2 ? 20 : (s) == 3 ? 21 : D(s))
#define NEW_A(s) A(0u - (s))
#define NEW_B(s) B(1u - (s))
#define NEW_C(s) C(2u - (s))
#define NEW_D(s) D(3u - (s))

static ALWAYS_INLINE uint64_t join(struct word x)
{
	return (uint64_t)x.hi << 32 | x.lo;
}

static ALWAYS_INLINE struct word split(uint64_t x)
{
	struct word word = { (uint32_t)x, (uint32_t)(x >> 32) };

	return word;
}

static ALWAYS_INLINE struct word add(struct word x, struct word y)
{
	return split(join(x) + join(y));
}

static ALWAYS_INLINE struct word xor(struct word x, struct word y)
{
	struct word word = { x.lo ^ y.lo, x.hi ^ y.hi };

	return word;
}

static ALWAYS_INLINE struct word ror32(struct word x)
{
	struct word word = { x.hi, x.lo };

	return word;
}

/*
 * Rotate right by 32 - @n. Each half goes left by @n; the @n bits that should have gone over into
 * the other half are now at the bottom of their own, and change places.
 */
static ALWAYS_INLINE struct word ror32_minus(struct word x, unsigned int n)
{
	struct word word = { x.hi << n | x.hi >> (32 - n), x.lo << n | x.lo >> (32 - n) };
	uint32_t differ = (word.lo ^ word.hi) & ((1u << n) - 1);

	word.lo ^= differ;
	word.hi ^= differ;
	return word;
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_addc)
#define HAVE_ADDC
#endif
#endif

/* rotate left by 1: double the word, and add the bit that falls out at the bottom */
static ALWAYS_INLINE struct word ror63(struct word x)
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

static ALWAYS_INLINE struct word message(const uint8_t *block, size_t i)
{
	struct word word = { load32(block + 8 * i), load32(block + 8 * i + 4) };

	return word;
}

/* a += b + x; d = (d ^ a) >>> 32; c += d */
static ALWAYS_INLINE void phase_1(struct word *v, unsigned int s, const uint8_t *block,
				  const uint8_t *pairs)
{
	struct word a = add(add(v[B(s)], v[A(s)]), message(block, pairs[2 * s]));
	struct word d = ror32(xor(v[D(s)], a));

	v[WAIT_A(s)] = a;
	v[WAIT_D(s)] = d;
	v[WAIT_C(s)] = add(d, v[C(s)]);
	fence();
}

/* b = (b ^ c) >>> 24; a += b + y */
static ALWAYS_INLINE void phase_2(struct word *v, unsigned int s, const uint8_t *block,
				  const uint8_t *pairs)
{
	struct word b = ror32_minus(xor(v[B(s)], v[WAIT_C(s)]), 8);

	v[WAIT_B(s)] = b;
	v[NEW_A(s)] = add(add(b, v[WAIT_A(s)]), message(block, pairs[2 * s + 1]));
	fence();
}

/* d = (d ^ a) >>> 16; c += d */
static ALWAYS_INLINE void phase_3(struct word *v, unsigned int s)
{
	struct word d = ror32_minus(xor(v[WAIT_D(s)], v[NEW_A(s)]), 16);

	v[NEW_D(s)] = d;
	v[NEW_C(s)] = add(d, v[WAIT_C(s)]);
	fence();
}

/* b = (b ^ c) >>> 63 */
static ALWAYS_INLINE void phase_4(struct word *v, unsigned int s)
{
	v[NEW_B(s)] = ror63(xor(v[WAIT_B(s)], v[NEW_C(s)]));
	fence();
}

static ALWAYS_INLINE void half_round(struct word *v, const uint8_t *block, const uint8_t *pairs)
{
	phase_1(v, 0, block, pairs);
	phase_1(v, 1, block, pairs);
	phase_1(v, 2, block, pairs);
	phase_1(v, 3, block, pairs);

	phase_2(v, 0, block, pairs);
	phase_2(v, 1, block, pairs);
	phase_2(v, 2, block, pairs);
	phase_2(v, 3, block, pairs);

	phase_3(v, 0);
	phase_3(v, 1);
	phase_3(v, 2);
	phase_3(v, 3);

	phase_4(v, 0);
	phase_4(v, 1);
	phase_4(v, 2);
	phase_4(v, 3);
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	struct word v[SLOTS];
	struct word *volatile escape = v;
	/* read through volatile pointers: indices known too well get hoisted and spilled */
	const uint8_t *volatile first = schedule;
	const uint8_t *volatile last = schedule + sizeof(schedule);
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
			half_round(v, blocks, pairs);
			pairs += 8;
		} while (pairs != last);

		NO_UNROLL
		for (i = 0; i < 8; i++) {
			state->h[i] ^= join(v[i]) ^ join(v[i + 8]);
			fence();
		}

		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}

#else /* 64-bit words */

/*
 * Elsewhere a whole G fits into the registers: on arm its four words and a message word take ten
 * of the fourteen. Each column is loaded, mixed and stored; fences keep the two halves of a word
 * next to each other, so that arm loads and stores them as a pair (ldrd, strd). The message is
 * read where it lies.
 *
 * The body is cut once more, to two columns: a half round is two turns. The first turn mixes the
 * columns 0 and 2, the second one the columns 1 and 3. All that it reads is one place further
 * right, and all that it stores one place further left, so the pointers move, not the code. Two
 * of the eight stores leave their row then (place 0 becomes place -1, which should be 3), so the
 * words at place 0 of the rows a and c are stored twice, four places apart: one copy is right in
 * the first turn, the other in the second, and what is left over lies in a gap between the rows.
 */
#define A 1 /* place 0 of each row; a row is four words and one of gap */
#define B 6
#define C 11
#define D 16
#define SLOTS 20

static ALWAYS_INLINE uint64_t ror64(uint64_t x, unsigned int n)
{
	return x >> n | x << (64 - n);
}

static ALWAYS_INLINE uint64_t message(const uint8_t *block, size_t i)
{
	return (uint64_t)load32(block + 8 * i + 4) << 32 | load32(block + 8 * i);
}

/* the G of column @s of @from: stores its four words in their new places, in @into */
static ALWAYS_INLINE void mix(uint64_t *into, const uint64_t *from, unsigned int s,
			      const uint8_t *block, const uint8_t *pair)
{
	uint64_t a = from[A + s];
	uint64_t b = from[B + s];
	uint64_t c, d;

	fence();
	a += b;
	fence();
	a += message(block, pair[0]);
	fence();
	c = from[C + s];
	d = from[D + s];
	fence();
	d = ror64(d ^ a, 32);
	c += d;
	b = ror64(b ^ c, 24);
	a += b;
	fence();
	a += message(block, pair[1]);

	into[A + ((0u - s) & 3)] = a;
	fence();
	if (s == 0)
		into[A + 4] = a;
	fence();
	d = ror64(d ^ a, 16);
	into[D + ((3u - s) & 3)] = d;
	fence();
	c += d;
	into[C + ((2u - s) & 3)] = c;
	fence();
	if (s == 2)
		into[C + 4] = c;
	fence();
	b = ror64(b ^ c, 63);
	into[B + ((1u - s) & 3)] = b;
	fence();
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	/* two words in front, since the pointers go down by two */
	uint64_t v[2 + 2 * SLOTS];
	uint64_t *volatile escape = v + 2;
	/* read through a volatile pointer: indices known too well get hoisted and spilled */
	const uint8_t *volatile first = schedule;
	const uint8_t *pairs;
	uint64_t *from, *into, *swap;
	int i;

	do {
		from = escape;
		into = from + SLOTS;
		state->t[0] += inc;
		state->t[1] += state->t[0] < inc;

		NO_UNROLL
		for (i = 0; i < 4; i++) {
			from[A + i] = state->h[i];
			from[B + i] = state->h[i + 4];
			from[C + i] = iv[i];
			from[D + i] = iv[i + 4];
			fence();
		}
		NO_UNROLL
		for (i = 0; i < 2; i++) {
			from[D + i] ^= state->t[i];
			fence();
			from[D + 2 + i] ^= state->f[i];
			fence();
		}

		pairs = first;
		i = 0; /* counts turns, two of them to a half round */
		do {
			do {
				mix(into, from, 0, blocks, pairs);
				mix(into, from, 2, blocks, pairs + 2);
				pairs += 4;
				from++;
				into--;
			} while (++i & 1);

			swap = from - 2;
			from = into + 2;
			into = swap;
		} while (i < 4 * ROUNDS);

		NO_UNROLL
		for (i = 0; i < 4; i++) {
			state->h[i] ^= from[A + i] ^ from[C + i];
			fence();
			state->h[i + 4] ^= from[B + i] ^ from[D + i];
			fence();
		}

		blocks += BLAKE2B_BLOCK_BYTES;
	} while (--nblocks);
}

#endif
