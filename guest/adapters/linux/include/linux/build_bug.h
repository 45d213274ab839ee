/* SPDX-License-Identifier: MIT */
/* Shim of <linux/build_bug.h>: checks of the compiler. */
#ifndef RIG_LINUX_BUILD_BUG_H
#define RIG_LINUX_BUILD_BUG_H

#pragma GCC system_header

#include <linux/types.h>

#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#define BUILD_BUG_ON_MSG(condition, message) _Static_assert(!(condition), message)
#ifndef static_assert
#define static_assert(condition, ...) _Static_assert(condition, #condition)
#endif

#endif
