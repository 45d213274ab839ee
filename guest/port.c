/* SPDX-License-Identifier: MIT */
/* The system through a C library. port_bare.c is its freestanding twin. */
#define _GNU_SOURCE
#include "port.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "trap.h"

long port_read(void *buffer, size_t size)
{
	ssize_t got;

	do {
		got = read(STDIN_FILENO, buffer, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

int port_write(const void *bytes, size_t size)
{
	const char *next = bytes;

	while (size > 0) {
		ssize_t sent = write(STDOUT_FILENO, next, size);

		if (sent < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		next += sent;
		size -= (size_t)sent;
	}
	return 0;
}

void *port_map(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

void port_unmap(void *pages, size_t size)
{
	munmap(pages, size);
}

void *port_repeat(const void *bytes, size_t size, size_t times)
{
	int memory = memfd_create("message", 0);
	uint8_t *pages = MAP_FAILED;
	size_t i;

	if (memory >= 0 && size % port_page_size() == 0 &&
	    write(memory, bytes, size) == (ssize_t)size)
		pages = mmap(NULL, size * times, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; pages != MAP_FAILED && i < times; i++) {
		if (mmap(pages + i * size, size, PROT_READ, MAP_SHARED | MAP_FIXED, memory, 0) ==
		    MAP_FAILED) {
			munmap(pages, size * times);
			pages = MAP_FAILED;
		}
	}
	if (memory >= 0)
		close(memory);
	return pages == MAP_FAILED ? NULL : pages;
}

int port_protect(void *pages, size_t size, enum port_access access)
{
	return mprotect(pages, size, access == PORT_NONE ? PROT_NONE : PROT_READ | PROT_WRITE);
}

int port_clock(uint64_t *nanoseconds)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return errno;
	*nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return 0;
}

size_t port_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Where the program was, 0 if nobody knows. */
static uintptr_t pc_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__arm__)
	return context->uc_mcontext.arm_pc;
#elif defined(__aarch64__) || defined(__mips__)
	return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__powerpc__) && !defined(__powerpc64__)
	return context->uc_mcontext.uc_regs->gregs[32]; /* PT_NIP */
#elif defined(__riscv)
	return context->uc_mcontext.__gregs[REG_PC];
#elif defined(__s390x__)
	return context->uc_mcontext.psw.addr;
#else
	(void)context;
	return 0;
#endif
}

/* The action is the default one again, so that raise() ends the program. */
static void trapped(int number, siginfo_t *info, void *context)
{
	char text[TRAP_BYTES];
	size_t size = trap_line(text, number, pc_of(context));

	(void)info;
	while (write(STDERR_FILENO, text, size) < 0 && errno == EINTR)
		;
	raise(number);
}

void port_report_traps(void)
{
	static const int numbers[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV };
	static uint8_t area[PORT_TRAP_STACK];
	stack_t stack = { .ss_sp = area, .ss_size = sizeof(area) };
	struct sigaction action = {
		.sa_sigaction = trapped,
		.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND),
	};
	size_t i;

	sigaltstack(&stack, NULL);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

void port_exit(int status)
{
	_exit(status);
}
