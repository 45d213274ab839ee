/* SPDX-License-Identifier: MIT */
/*
 * A unit with all that a size has besides the function itself: a split-off cold part, a
 * specialised copy, a helper, private constants, a division that needs libgcc on 32 bits.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

__attribute__((cold, noreturn)) void give_up(const char *why);

static const u32 table[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };

__attribute__((noinline)) static u32 helper(u32 x)
{
	return x * 5 ^ (x >> 3);
}

u64 measured(u64 *state, u32 n, u64 by)
{
	u32 i;

	if (n > 100) {
		state[0] = state[1] * 3;
		state[1] = n;
		give_up("too long");
	}
	for (i = 0; i < n; i++)
		*state += helper(table[*state & 7]) + *state / by;
#ifdef UNIT_MORE
	*state ^= *state >> 7;
#endif
	return *state;
}

/* called with one constant alone: becomes special.constprop.0 and has no plain form */
__attribute__((noinline)) static u32 special(u32 x, u32 y, u32 *out)
{
	u32 i;

	for (i = 0; i < y; i++)
		out[i] += x ^ table[i & 7];
	return out[0];
}

u32 entry(u32 x, u32 *out)
{
	return special(x, 8, out) + special(x + 1, 8, out);
}
