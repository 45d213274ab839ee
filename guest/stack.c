/* SPDX-License-Identifier: MIT */
#include "stack.h"

#include "text.h"

#define FILL_BYTES 16384

__attribute__((noinline)) void stack_fill(uint8_t byte)
{
	uint8_t area[FILL_BYTES];

	memset(area, byte, sizeof(area));
	/* the compiler may not see that nobody reads it */
	__asm__ volatile("" : : "r"(area) : "memory");
}
