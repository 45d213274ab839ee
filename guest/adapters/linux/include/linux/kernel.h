/* SPDX-License-Identifier: MIT */
/* Shim of <linux/kernel.h>: the small macros that all of the kernel uses. */
#ifndef RIG_LINUX_KERNEL_H
#define RIG_LINUX_KERNEL_H

#pragma GCC system_header

#include <asm/byteorder.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, unit) (((n) + (unit) - 1) / (unit))
#define round_up(x, power) ((((x) - 1) | ((__typeof__(x))(power) - 1)) + 1)
#define round_down(x, power) ((x) & ~((__typeof__(x))(power) - 1))
#define ALIGN(x, power) round_up(x, power)

#define RIG_PICK(a, b, how)                   \
	({                                    \
		__typeof__(a) rig_a = (a);    \
		__typeof__(b) rig_b = (b);    \
		rig_a how rig_b ? rig_a : rig_b; \
	})
#define min(a, b) RIG_PICK(a, b, <)
#define max(a, b) RIG_PICK(a, b, >)
#define min_t(type, a, b) RIG_PICK((type)(a), (type)(b), <)
#define max_t(type, a, b) RIG_PICK((type)(a), (type)(b), >)
#define swap(a, b)                            \
	do {                                  \
		__typeof__(a) rig_a = (a);    \
		(a) = (b);                    \
		(b) = rig_a;                  \
	} while (0)

#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
