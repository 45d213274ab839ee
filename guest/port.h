/* SPDX-License-Identifier: MIT */
/*
 * All that the guest asks of the system. port.c does it through a C library, port_bare.c by
 * system calls; nothing else in the guest includes a system header.
 */
#ifndef RIG_PORT_H
#define RIG_PORT_H

#include <stddef.h>
#include <stdint.h>

#define PORT_TRAP_STACK 16384

enum port_access { PORT_NONE, PORT_READ_WRITE };

/* bytes read, 0 at end of file, -1 on an error */
long port_read(void *buffer, size_t size);

/* one write(2) to standard output, repeated only when it was cut short; 0 or -1 */
int port_write(const void *bytes, size_t size);

/* whole pages of zeroes, or NULL */
void *port_map(size_t size);
void port_unmap(void *pages, size_t size);

/*
 * Memory, not to be written, in which @size bytes lie @times over without a gap; NULL where whole
 * pages or the address space do not allow it. It takes the memory of @size bytes alone.
 */
void *port_repeat(const void *bytes, size_t size, size_t times);

/* 0 or -1; address and size are multiples of the page size */
int port_protect(void *pages, size_t size, enum port_access access);

/* nanoseconds of the monotonic clock; returns 0 or an errno */
int port_clock(uint64_t *nanoseconds);

size_t port_page_size(void);

/*
 * From now on a program that dies of a fault of its own first writes "rig-trap signal=<decimal>
 * pc=<hex>" and a line end to standard error, where the target lets it know its pc.
 */
void port_report_traps(void);

_Noreturn void port_exit(int status);

#endif
