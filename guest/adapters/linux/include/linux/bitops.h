/* SPDX-License-Identifier: MIT */
/* Shim of <linux/bitops.h>: rotations. */
#ifndef RIG_LINUX_BITOPS_H
#define RIG_LINUX_BITOPS_H

#pragma GCC system_header

#include <linux/types.h>

static inline u64 rol64(u64 word, unsigned int shift)
{
	return (word << (shift & 63)) | (word >> (-shift & 63));
}

static inline u64 ror64(u64 word, unsigned int shift)
{
	return (word >> (shift & 63)) | (word << (-shift & 63));
}

static inline u32 rol32(u32 word, unsigned int shift)
{
	return (word << (shift & 31)) | (word >> (-shift & 31));
}

static inline u32 ror32(u32 word, unsigned int shift)
{
	return (word >> (shift & 31)) | (word << (-shift & 31));
}

#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))

#endif
