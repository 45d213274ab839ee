/* SPDX-License-Identifier: MIT */
/*
 * Shim of <linux/init.h>: an init function is kept, as the kernel keeps it, so that the compiler
 * sees the same uses of the code as there. Nothing calls it.
 */
#ifndef RIG_LINUX_INIT_H
#define RIG_LINUX_INIT_H

#pragma GCC system_header

#include <linux/compiler.h>

#define __init __section(".init.text") __cold
#define __exit __section(".exit.text") __used __cold
#define __initdata __section(".init.data")
#define __initconst __section(".init.rodata")

typedef int (*initcall_t)(void);

#define RIG_INITCALL(function) \
	static initcall_t const __used rig_initcall_##function = (function)

#define module_init(function) RIG_INITCALL(function)
#define subsys_initcall(function) RIG_INITCALL(function)
#define arch_initcall(function) RIG_INITCALL(function)
#define late_initcall(function) RIG_INITCALL(function)
#define device_initcall(function) RIG_INITCALL(function)

/* built in, not a module: the exit function is never called */
#define module_exit(function) struct rig_nothing

#endif
