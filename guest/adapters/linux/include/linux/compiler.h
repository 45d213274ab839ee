/* SPDX-License-Identifier: MIT */
/* Shim of <linux/compiler.h>: names for what gcc and clang offer. */
#ifndef RIG_LINUX_COMPILER_H
#define RIG_LINUX_COMPILER_H

#pragma GCC system_header

#include <linux/kconfig.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ __volatile__("" : : : "memory")
#define barrier_data(pointer) __asm__ __volatile__("" : : "r"(pointer) : "memory")

#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define __maybe_unused __attribute__((unused))
#define __always_unused __attribute__((unused))
#define __used __attribute__((used))
#define __must_check __attribute__((warn_unused_result))
#define __packed __attribute__((packed))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __section(name) __attribute__((section(name)))
#define __pure __attribute__((pure))
#define __attribute_const__ __attribute__((const))
#define __cold __attribute__((cold))
#define __weak __attribute__((weak))
#define __ro_after_init
#define __read_mostly
#ifndef fallthrough
#define fallthrough __attribute__((fallthrough))
#endif

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))

#endif
