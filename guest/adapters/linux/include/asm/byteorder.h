/* SPDX-License-Identifier: MIT */
/* Shim of <asm/byteorder.h>: little-endian integers in memory, on either byte order. */
#ifndef RIG_ASM_BYTEORDER_H
#define RIG_ASM_BYTEORDER_H

#pragma GCC system_header

#include <linux/types.h>

#ifdef CONFIG_CPU_BIG_ENDIAN
#define cpu_to_le16(x) __builtin_bswap16(x)
#define cpu_to_le32(x) __builtin_bswap32(x)
#define cpu_to_le64(x) __builtin_bswap64(x)
#define cpu_to_be32(x) ((u32)(x))
#define cpu_to_be64(x) ((u64)(x))
#else
#define cpu_to_le16(x) ((u16)(x))
#define cpu_to_le32(x) ((u32)(x))
#define cpu_to_le64(x) ((u64)(x))
#define cpu_to_be32(x) __builtin_bswap32(x)
#define cpu_to_be64(x) __builtin_bswap64(x)
#endif

#define le16_to_cpu(x) cpu_to_le16(x)
#define le32_to_cpu(x) cpu_to_le32(x)
#define le64_to_cpu(x) cpu_to_le64(x)
#define be32_to_cpu(x) cpu_to_be32(x)
#define be64_to_cpu(x) cpu_to_be64(x)

static inline u32 le32_to_cpup(const __le32 *word)
{
	return le32_to_cpu(*word);
}

static inline u64 le64_to_cpup(const __le64 *word)
{
	return le64_to_cpu(*word);
}

static inline void __le64_to_cpus(u64 *word)
{
	*word = le64_to_cpu(*word);
}

static inline void __cpu_to_le64s(u64 *word)
{
	*word = cpu_to_le64(*word);
}

static inline void le64_to_cpus(u64 *word)
{
	__le64_to_cpus(word);
}

static inline void cpu_to_le64s(u64 *word)
{
	__cpu_to_le64s(word);
}

static inline void le32_to_cpu_array(u32 *words, unsigned int count)
{
	for (; count > 0; count--, words++)
		*words = le32_to_cpu(*words);
}

static inline void cpu_to_le32_array(u32 *words, unsigned int count)
{
	for (; count > 0; count--, words++)
		*words = cpu_to_le32(*words);
}

static inline void le64_to_cpu_array(u64 *words, unsigned int count)
{
	for (; count > 0; count--, words++)
		*words = le64_to_cpu(*words);
}

static inline void cpu_to_le64_array(u64 *words, unsigned int count)
{
	for (; count > 0; count--, words++)
		*words = cpu_to_le64(*words);
}

#endif
