/* SPDX-License-Identifier: MIT */
/*
 * Shim of <linux/init.h>: nothing is registered, so the compiler drops what only registration
 * would reach. The sizes of the hash itself are the same with and without it.
 */
#ifndef RIG_LINUX_INIT_H
#define RIG_LINUX_INIT_H

#pragma GCC system_header

#include <linux/compiler.h>

#define __init __section(".init.text") __cold
#define __exit __section(".exit.text") __maybe_unused __cold
#define __initdata __section(".init.data")
#define __initconst __section(".init.rodata")

typedef int (*initcall_t)(void);

/* inline, so that it is dropped at every level of optimisation */
#define RIG_INITCALL(function)                                                       \
	static inline initcall_t __maybe_unused rig_initcall_##function(void)         \
	{                                                                             \
		return function;                                                      \
	}                                                                             \
	struct rig_nothing

#define module_init(function) RIG_INITCALL(function)
#define subsys_initcall(function) RIG_INITCALL(function)
#define arch_initcall(function) RIG_INITCALL(function)
#define late_initcall(function) RIG_INITCALL(function)
#define device_initcall(function) RIG_INITCALL(function)

#define module_exit(function) struct rig_nothing

#endif
