/* SPDX-License-Identifier: MIT */
/* Shim of <linux/unaligned.h>, which was <asm/unaligned.h> before 6.12. */
#ifndef RIG_LINUX_UNALIGNED_H
#define RIG_LINUX_UNALIGNED_H

#pragma GCC system_header

#include <asm/byteorder.h>

/* packed: an address of any alignment; may_alias: over an object of any type */
struct rig_unaligned_u32 {
	u32 word;
} __attribute__((packed, may_alias));

struct rig_unaligned_u64 {
	u64 word;
} __attribute__((packed, may_alias));

static inline u32 get_unaligned_le32(const void *from)
{
	return le32_to_cpu(((const struct rig_unaligned_u32 *)from)->word);
}

static inline u64 get_unaligned_le64(const void *from)
{
	return le64_to_cpu(((const struct rig_unaligned_u64 *)from)->word);
}

static inline void put_unaligned_le32(u32 word, void *to)
{
	((struct rig_unaligned_u32 *)to)->word = cpu_to_le32(word);
}

static inline void put_unaligned_le64(u64 word, void *to)
{
	((struct rig_unaligned_u64 *)to)->word = cpu_to_le64(word);
}

#endif
