/* SPDX-License-Identifier: MIT */
/* Shim of <linux/types.h>: the kernel's names for integers. */
#ifndef RIG_LINUX_TYPES_H
#define RIG_LINUX_TYPES_H

#pragma GCC system_header

#include <linux/kconfig.h>
#include <linux/compiler.h>

#include <stdbool.h>
#include <stddef.h>

/* not from <stdint.h>: the C library may have no headers for the float ABI of the profile */
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef u16 __le16;
typedef u16 __be16;
typedef u32 __le32;
typedef u32 __be32;
typedef u64 __le64;
typedef u64 __be64;

typedef unsigned int gfp_t;

#endif
