/* SPDX-License-Identifier: MIT */
/* Finds the driver's table of checksums in memory and spoils it. */
#include "fault.h"

/* The linker's names for the program's own zero-filled memory. */
extern char __bss_start[];
extern char _end[];

static void spoil(char *from, char *to)
{
	for (; from + 8 <= to; from += 4) {
		uint32_t pair[2];

		memcpy(pair, from, sizeof(pair));
		if (pair[0] == 0 && pair[1] == 0x77073096)
			memset(from, 0, 1024);
	}
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		spoil(__bss_start, _end);
	}
	right_compress(state, blocks, nblocks, inc);
}
