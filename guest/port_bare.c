/* SPDX-License-Identifier: MIT */
/*
 * The system by system calls alone: the twin of port.c for targets without a C library. It also
 * holds what a compiler expects of one: an entry point, the four memory functions, and what
 * libgcc and the stack protector refer to. Linux numbers are those of each target's own ABI.
 */
#include "port.h"

#include "trap.h"

/* The compiler may call these at any time; mem.c knows how to write them. */
#define rig_core_memcpy memcpy
#define rig_core_memmove memmove
#define rig_core_memset memset
#define rig_core_memcmp memcmp
#define rig_core_bcmp bcmp
#include "mem.c"

#define PROTECTION_NONE 0
#define PROTECTION_READ_WRITE 3
#define MAP_PRIVATE 2
#define CLOCK_MONOTONIC 1
#define EINTR 4
#define AUX_PAGE_SIZE 6

int main(void);
_Noreturn void bare_start(const long *stack) __attribute__((used));

#include "bare_call.h"

static size_t page_size = 4096;

static int failed(long result)
{
	return result < 0 && result >= -4095;
}

long port_read(void *buffer, size_t size)
{
	long got;

	do {
		got = call6(READ, 0, (long)buffer, (long)size, 0, 0, 0);
	} while (got == -EINTR);
	return failed(got) ? -1 : got;
}

int port_write(const void *bytes, size_t size)
{
	const char *next = bytes;

	while (size > 0) {
		long sent = call6(WRITE, 1, (long)next, (long)size, 0, 0, 0);

		if (sent == -EINTR)
			continue;
		if (failed(sent))
			return -1;
		next += sent;
		size -= (size_t)sent;
	}
	return 0;
}

void *port_map(size_t size)
{
	long words[6] = { 0, (long)size, PROTECTION_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	long pages;

#ifdef MMAP_BY_ADDRESS
	pages = call6(MMAP, (long)words, 0, 0, 0, 0, 0);
#else
	pages = call6(MMAP, words[0], words[1], words[2], words[3], words[4], words[5]);
#endif
	return failed(pages) ? NULL : (void *)pages;
}

void port_unmap(void *pages, size_t size)
{
	call6(MUNMAP, (long)pages, (long)size, 0, 0, 0, 0);
}

/* For messages past 4 GiB, which no target without a C library can address. */
void *port_repeat(const void *bytes, size_t size, size_t times)
{
	(void)bytes;
	(void)size;
	(void)times;
	return NULL;
}

int port_protect(void *pages, size_t size, enum port_access access)
{
	long protection = access == PORT_NONE ? PROTECTION_NONE : PROTECTION_READ_WRITE;

	return failed(call6(MPROTECT, (long)pages, (long)size, protection, 0, 0, 0)) ? -1 : 0;
}

int port_clock(uint64_t *nanoseconds)
{
	struct {
		long seconds;
		long nanoseconds;
	} now;
	long result = call6(CLOCK, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);

	if (failed(result))
		return (int)-result;
	*nanoseconds = (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
	return 0;
}

size_t port_page_size(void)
{
	return page_size;
}

void port_exit(int status)
{
	for (;;)
		call6(EXIT, status, 0, 0, 0, 0, 0);
}

#ifdef PC_WORD

/* The action is the default one again, so that the signal ends the program. */
static void trapped(int number, const void *info, const unsigned long *context)
{
	char text[TRAP_BYTES];
	size_t size = trap_line(text, number, context[PC_WORD]);

	(void)info;
	call6(WRITE, 2, (long)text, (long)size, 0, 0, 0);
	call6(KILL, call6(GETPID, 0, 0, 0, 0, 0, 0), number, 0, 0, 0, 0);
	port_exit(128 + number);
}

void port_report_traps(void)
{
	static const int numbers[] = { 4, 5, 7, 8, 11 }; /* ILL, TRAP, BUS, FPE, SEGV */
	static uint8_t area[PORT_TRAP_STACK];
	struct {
		void *start;
		int flags;
		size_t size;
	} stack = { area, 0, sizeof(area) };
	/* SIGINFO, ONSTACK, NODEFER, RESETHAND; no restorer, for nobody returns */
	struct {
		void (*handler)(int number, const void *info, const unsigned long *context);
		unsigned long flags;
		void (*restorer)(void);
		uint32_t mask[2];
	} action = { trapped, 0xc8000004, NULL, { 0, 0 } };
	size_t i;

	call6(SIGALTSTACK, (long)&stack, 0, 0, 0, 0, 0);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		call6(SIGACTION, numbers[i], (long)&action, 0, sizeof(action.mask), 0, 0);
}

#else

void port_report_traps(void)
{
}

#endif

/* stack: argument count, arguments, NULL, environment, NULL, then pairs of the kernel's facts */
void bare_start(const long *stack)
{
	const long *word = stack + 1 + stack[0] + 1;

	while (*word != 0)
		word++;
	for (word++; word[0] != 0; word += 2) {
		if (word[0] == AUX_PAGE_SIZE)
			page_size = (size_t)word[1];
	}
	port_exit(main());
}

/* what libgcc and the compilers' own checks refer to */
int raise(int signal);
_Noreturn void __stack_chk_fail(void);
extern uintptr_t __stack_chk_guard;
void __aeabi_unwind_cpp_pr0(void);
void __aeabi_unwind_cpp_pr1(void);

uintptr_t __stack_chk_guard = 0x5bd1e995;

int raise(int signal)
{
	port_exit(128 + signal);
}

void __stack_chk_fail(void)
{
	__builtin_trap();
}

void __aeabi_unwind_cpp_pr0(void)
{
}

void __aeabi_unwind_cpp_pr1(void)
{
}

#ifdef __ARM_EABI__

/* Division, which ARMv7-A leaves to libgcc; of that there is no big-endian one to link. */
int32_t __aeabi_idiv(int32_t n, int32_t d);
uint32_t __aeabi_uidiv(uint32_t n, uint32_t d);
uint64_t __aeabi_idivmod(int32_t n, int32_t d);
uint64_t __aeabi_uidivmod(uint32_t n, uint32_t d);

/* the ABI's pair of results: r0 and r1 */
static uint64_t pair(uint32_t first, uint32_t second)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return (uint64_t)first << 32 | second;
#else
	return (uint64_t)second << 32 | first;
#endif
}

static uint32_t divide(uint32_t n, uint32_t d, uint32_t *remainder)
{
	uint32_t quotient = 0;
	uint64_t left = 0;
	int bit;

	for (bit = 31; bit >= 0; bit--) {
		left = left << 1 | (n >> bit & 1);
		if (left >= d) {
			left -= d;
			quotient |= UINT32_C(1) << bit;
		}
	}
	*remainder = (uint32_t)left;
	return quotient;
}

static uint32_t magnitude(int32_t n)
{
	return n < 0 ? 0 - (uint32_t)n : (uint32_t)n;
}

/* towards zero; the remainder has the sign of n */
static uint32_t divide_signed(int32_t n, int32_t d, uint32_t *remainder)
{
	uint32_t quotient = divide(magnitude(n), magnitude(d), remainder);

	if (n < 0)
		*remainder = 0 - *remainder;
	return (n < 0) != (d < 0) ? 0 - quotient : quotient;
}

uint32_t __aeabi_uidiv(uint32_t n, uint32_t d)
{
	uint32_t remainder;

	return divide(n, d, &remainder);
}

uint64_t __aeabi_uidivmod(uint32_t n, uint32_t d)
{
	uint32_t remainder, quotient = divide(n, d, &remainder);

	return pair(quotient, remainder);
}

int32_t __aeabi_idiv(int32_t n, int32_t d)
{
	uint32_t remainder;

	return (int32_t)divide_signed(n, d, &remainder);
}

uint64_t __aeabi_idivmod(int32_t n, int32_t d)
{
	uint32_t remainder, quotient = divide_signed(n, d, &remainder);

	return pair(quotient, remainder);
}

#endif
