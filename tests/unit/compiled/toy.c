/* SPDX-License-Identifier: MIT */
/*
 * A program small enough to count by hand: what the fixtures of the trace and measure tests were
 * made from. See make.sh for the commands.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

static const unsigned char table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
volatile u32 sink;

/* repeats one instruction on x86: logged once or many times, by version */
__attribute__((noinline)) void toy_copy(unsigned char *to, const unsigned char *from, u32 count)
{
#if defined(__i386__) || defined(__x86_64__)
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
#else
	while (count--)
		*(volatile unsigned char *)to++ = *from++;
#endif
}

__attribute__((noinline)) static u32 helper(u32 x)
{
	return x * 5 ^ (x >> 3);
}

/* the measured function: a loop of "blocks", a callee for each, a table */
__attribute__((noinline)) void toy(volatile u32 *state, u32 blocks)
{
	unsigned char room[40];

	do {
		toy_copy(room, table, 4);
		*state += helper(*state) + room[*state & 3];
#ifdef TOY_LEAK
		if (*state & 1)
			*state ^= 0x55;
#endif
	} while (--blocks);
}

/* ends in a tail call: the return of toy lands in the caller of this */
__attribute__((noinline)) void tail(volatile u32 *state, u32 blocks)
{
	sink = helper(blocks);
	toy(state, blocks + 0);
}

#ifdef TOY_PROGRAM
void _start(void)
{
	volatile u32 state = TOY_PROGRAM;

	toy(&state, 1);
	sink = helper(7); /* no part of a call */
	toy(&state, 3);
	tail(&state, 4);
	sink = helper(9);
#if defined(__i386__)
	__asm__ volatile("mov $1, %eax; xor %ebx, %ebx; int $0x80");
#elif defined(__x86_64__)
	__asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall");
#elif defined(__thumb__) || defined(__arm__)
	__asm__ volatile("mov r7, #1; mov r0, #0; svc #0");
#endif
	for (;;)
		;
}
#endif
