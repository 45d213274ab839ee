/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's configuration would say, as far as a hash needs it. Every header of the shim
 * includes this, since the kernel forces its configuration into each unit.
 *
 * CONFIG_64BIT follows the target's word size. RIG_SIDE=32 or RIG_SIDE=64 asks for the other
 * side, against the target. CONFIG_CRYPTO_LIB_BLAKE2B_ARCH stays unset: the generic code is
 * what is measured.
 */
#ifndef RIG_LINUX_KCONFIG_H
#define RIG_LINUX_KCONFIG_H

#pragma GCC system_header

/* kernel code is GNU C, and kbuild asks for none of these */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#if defined(RIG_SIDE) && RIG_SIDE == 64
#define RIG_WANTS_64BIT 1
#elif !defined(RIG_SIDE) && __SIZEOF_POINTER__ == 8
#define RIG_WANTS_64BIT 1
#endif

#undef CONFIG_64BIT
#ifdef RIG_WANTS_64BIT
#define CONFIG_64BIT 1
#endif

#ifdef __clang__
#define CONFIG_CC_IS_CLANG 1
#else
#define CONFIG_CC_IS_GCC 1
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CONFIG_CPU_BIG_ENDIAN 1
#else
#define CONFIG_CPU_LITTLE_ENDIAN 1
#endif

/* 1 where the option is defined as 1, else 0: a defined option shifts a 1 into second place */
#define RIG_SHIFT_1 0, 1
#define RIG_SECOND(first, second, ...) second
#define RIG_OPTION(shift) RIG_SECOND(shift, 0, 0)
#define RIG_IS_SET(value) RIG_OPTION(RIG_SHIFT_##value)
#define IS_ENABLED(option) RIG_IS_SET(option)
#define IS_BUILTIN(option) RIG_IS_SET(option)
#define IS_REACHABLE(option) RIG_IS_SET(option)
#define IS_MODULE(option) 0

#endif
