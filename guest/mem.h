/* SPDX-License-Identifier: MIT */
/*
 * The memory functions that a core gets, in every profile. The library's own would be chosen by
 * CPU feature, and instruction counts would change with the emulator. The builder renames a
 * core's undefined memcpy to rig_core_memcpy, and so on; mem.c is compiled with the calling
 * convention of the core.
 */
#ifndef RIG_MEM_H
#define RIG_MEM_H

#include <stddef.h>

void *rig_core_memcpy(void *to, const void *from, size_t count);
void *rig_core_memmove(void *to, const void *from, size_t count);
void *rig_core_memset(void *to, int value, size_t count);
int rig_core_memcmp(const void *left, const void *right, size_t count);
int rig_core_bcmp(const void *left, const void *right, size_t count);

#endif
