/* SPDX-License-Identifier: MIT */
/* Shim of <linux/bug.h>: a warning of the kernel ends the guest, so that no one overlooks it. */
#ifndef RIG_LINUX_BUG_H
#define RIG_LINUX_BUG_H

#pragma GCC system_header

#include <linux/build_bug.h>

#define BUG() __builtin_trap()
#define BUG_ON(condition)                         \
	do {                                      \
		if (unlikely(condition))          \
			__builtin_trap();         \
	} while (0)

#define WARN_ON(condition)                        \
	({                                        \
		int rig_warns = !!(condition);    \
		if (unlikely(rig_warns))          \
			__builtin_trap();         \
		rig_warns;                        \
	})
#define WARN_ON_ONCE(condition) WARN_ON(condition)
#define WARN(condition, ...) WARN_ON(condition)
#define WARN_ONCE(condition, ...) WARN_ON(condition)

#endif
