/* SPDX-License-Identifier: MIT */
/* Shim of <linux/unroll.h>: how far to unroll the loop that follows. */
#ifndef RIG_LINUX_UNROLL_H
#define RIG_LINUX_UNROLL_H

#pragma GCC system_header

#include <linux/kconfig.h>

#define RIG_PRAGMA(text) _Pragma(#text)

#ifdef __clang__
#define unrolled RIG_PRAGMA(clang loop unroll(enable))
#define unrolled_full RIG_PRAGMA(clang loop unroll(full))
#define unrolled_none RIG_PRAGMA(clang loop unroll(disable))
#define unrolled_count(times) RIG_PRAGMA(clang loop unroll_count(times))
#else
/* 65534 is the most that gcc takes; more would be an error */
#define unrolled RIG_PRAGMA(GCC unroll 8)
#define unrolled_full RIG_PRAGMA(GCC unroll 65534)
#define unrolled_none RIG_PRAGMA(GCC unroll 1)
#define unrolled_count(times) RIG_PRAGMA(GCC unroll times)
#endif

#endif
