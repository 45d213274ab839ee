/* SPDX-License-Identifier: MIT */
/*
 * Rests for ever at one question, under a name of its own, unless that is the first question of
 * all: a right core, except that others have time to end it from outside.
 */
#include "fault.h"

#include <sys/prctl.h>

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	static int asked_before;

	if (asked_before && is_due(state, blocks, inc)) {
		prctl(PR_SET_NAME, "resting");
		for (;;)
			pause();
	}
	asked_before = 1;
	right_compress(state, blocks, nblocks, inc);
}
