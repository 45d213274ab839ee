/* SPDX-License-Identifier: MIT */
/*
 * Who this program is. The builder writes a unit of its own for each program, compiled by the
 * compiler of the core:
 *
 *	#include "who.h"
 *	const char rig_who_core[] = "rolled";
 *	const char rig_who_build[] = "0123456789abcdef";
 *	const char rig_who_cc[] = RIG_WHO_CC;
 *
 * The core's name holds no blanks or control characters; the build id is 16 hex digits.
 */
#ifndef RIG_WHO_H
#define RIG_WHO_H

#define RIG_WHO_TEXT_(x) #x
#define RIG_WHO_TEXT(x) RIG_WHO_TEXT_(x)
#if defined(__clang__)
#define RIG_WHO_CC                                                                           \
	"clang-" RIG_WHO_TEXT(__clang_major__) "." RIG_WHO_TEXT(__clang_minor__) "." RIG_WHO_TEXT( \
		__clang_patchlevel__)
#else
#define RIG_WHO_CC                                                                   \
	"gcc-" RIG_WHO_TEXT(__GNUC__) "." RIG_WHO_TEXT(__GNUC_MINOR__) "." RIG_WHO_TEXT( \
		__GNUC_PATCHLEVEL__)
#endif

extern const char rig_who_core[];
extern const char rig_who_build[];
extern const char rig_who_cc[];

#endif
