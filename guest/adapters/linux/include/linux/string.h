/* SPDX-License-Identifier: MIT */
/* Shim of <linux/string.h>: memory functions as the compiler knows them; the guest has them. */
#ifndef RIG_LINUX_STRING_H
#define RIG_LINUX_STRING_H

#pragma GCC system_header

#include <linux/types.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *left, const void *right, size_t count);

/* the barrier keeps the compiler from dropping a store that nothing reads */
static inline void memzero_explicit(void *to, size_t count)
{
	memset(to, 0, count);
	barrier_data(to);
}

#endif
