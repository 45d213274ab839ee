/* SPDX-License-Identifier: MIT */
/*
 * Linux without a C library: for each target the numbers of its own ABI, call6(), which returns
 * -errno, and _start, which gives the stack over to bare_start. Included once, by port_bare.c.
 */
#ifndef RIG_BARE_CALL_H
#define RIG_BARE_CALL_H

#if defined(__i386__)

enum { EXIT = 252, READ = 3, WRITE = 4, MMAP = 90, MUNMAP = 91, MPROTECT = 125, CLOCK = 265 };
#define MAP_ANONYMOUS 0x20
#define MMAP_BY_ADDRESS 1 /* the old call: one pointer to six words */

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	(void)f;
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory", "cc");
	return result;
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xorl %ebp, %ebp\n"
	"	movl %esp, %eax\n"
	"	andl $-16, %esp\n"
	"	subl $12, %esp\n"
	"	pushl %eax\n"
	"	call bare_start\n");

#elif defined(__x86_64__)

enum { EXIT = 231, READ = 0, WRITE = 1, MMAP = 9, MUNMAP = 11, MPROTECT = 10, CLOCK = 228 };
#define MAP_ANONYMOUS 0x20

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call bare_start\n");

#elif defined(__arm__)

enum { EXIT = 248, READ = 3, WRITE = 4, MMAP = 192, MUNMAP = 91, MPROTECT = 125, CLOCK = 263 };
enum { GETPID = 20, KILL = 37, SIGACTION = 174, SIGALTSTACK = 186 };
#define PC_WORD 23 /* of struct ucontext: five words, then three and fifteen of sigcontext */
#define MAP_ANONYMOUS 0x20

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r7 __asm__("r7") = number;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;
	register long r4 __asm__("r4") = e;
	register long r5 __asm__("r5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
			 : "memory", "cc");
	return r0;
}

__asm__(".text\n"
	".arm\n"
	".balign 4\n"
	".globl _start\n"
	".type _start, %function\n"
	"_start:\n"
	"	mov r0, sp\n"
	"	bic sp, sp, #7\n"
	"	bl bare_start\n");

#elif defined(__mips__)

enum {
	EXIT = 4246,
	READ = 4003,
	WRITE = 4004,
	MMAP = 4090,
	MUNMAP = 4091,
	MPROTECT = 4125,
	CLOCK = 4263
};
#define MAP_ANONYMOUS 0x800

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long v0 __asm__("$2") = number;
	register long a0 __asm__("$4") = a;
	register long a1 __asm__("$5") = b;
	register long a2 __asm__("$6") = c;
	register long a3 __asm__("$7") = d;

	/* the fifth and sixth argument lie on the stack; $7 says whether $2 is an error */
	__asm__ volatile("addiu $29, $29, -32\n\t"
			 "sw %5, 16($29)\n\t"
			 "sw %6, 20($29)\n\t"
			 "syscall\n\t"
			 "addiu $29, $29, 32"
			 : "+r"(v0), "+r"(a3)
			 : "r"(a0), "r"(a1), "r"(a2), "r"(e), "r"(f)
			 : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
			   "$25", "hi", "lo", "memory");
	return a3 ? -v0 : v0;
}

__asm__(".text\n"
	".globl __start\n"
	".globl _start\n"
	"__start:\n"
	"_start:\n"
	"	.set push\n"
	"	.set noreorder\n"
	"	move $4, $29\n"
	"	addiu $29, $29, -32\n"
	"	li $8, -8\n"
	"	and $29, $29, $8\n"
	"	lui $25, %hi(bare_start)\n"
	"	addiu $25, $25, %lo(bare_start)\n"
	"	jalr $25\n"
	"	nop\n"
	"	.set pop\n");

#elif defined(__powerpc__) && !defined(__powerpc64__)

enum { EXIT = 234, READ = 3, WRITE = 4, MMAP = 90, MUNMAP = 91, MPROTECT = 125, CLOCK = 246 };
#define MAP_ANONYMOUS 0x20

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r0 __asm__("r0") = number;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;
	register long r8 __asm__("r8") = f;

	/* summary overflow says that r3 is an error */
	__asm__ volatile("sc\n\t"
			 "bns+ 1f\n\t"
			 "neg 3, 3\n"
			 "1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
			 :
			 : "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return r3;
}

__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	mr 3, 1\n"
	"	rlwinm 1, 1, 0, 0, 27\n"
	"	li 0, 0\n"
	"	stwu 0, -16(1)\n"
	"	bl bare_start\n");

#else
#error "port_bare.c does not know this target's system calls"
#endif

#endif
