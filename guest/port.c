/* SPDX-License-Identifier: MIT */
/* The system through a C library. port_bare.c is its freestanding twin. */
#define _GNU_SOURCE
#include "port.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

void port_exit(int status)
{
	_exit(status);
}
