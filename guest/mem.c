/* SPDX-License-Identifier: MIT */
/*
 * See mem.h. Whole words at any alignment, then bytes.
 */
#include "mem.h"

/* Keeps compilers from seeing a memcpy in the loop, and from making it a call of the library's. */
#define OPAQUE(pointer) __asm__ volatile("" : "+r"(pointer))

/* a word at any address, over any object */
typedef size_t __attribute__((aligned(1), may_alias)) word_t;

void *rig_core_memcpy(void *to, const void *from, size_t count)
{
	unsigned char *target = to;
	const unsigned char *source = from;

	for (; count >= sizeof(word_t); count -= sizeof(word_t)) {
		*(word_t *)target = *(const word_t *)source;
		OPAQUE(target);
		target += sizeof(word_t);
		source += sizeof(word_t);
	}
	while (count-- > 0) {
		*target++ = *source++;
		OPAQUE(target);
	}
	return to;
}

void *rig_core_memmove(void *to, const void *from, size_t count)
{
	unsigned char *target = to;
	const unsigned char *source = from;

	/* upwards is right unless the target begins within the source */
	if ((size_t)target - (size_t)source >= count)
		return rig_core_memcpy(to, from, count);
	while (count-- > 0) {
		target[count] = source[count];
		OPAQUE(target);
	}
	return to;
}

void *rig_core_memset(void *to, int value, size_t count)
{
	unsigned char *target = to;
	size_t word = (size_t)-1 / 255 * (unsigned char)value;

	for (; count >= sizeof(word_t); count -= sizeof(word_t)) {
		*(word_t *)target = word;
		OPAQUE(target);
		target += sizeof(word_t);
	}
	while (count-- > 0) {
		*target++ = (unsigned char)value;
		OPAQUE(target);
	}
	return to;
}

int rig_core_memcmp(const void *left, const void *right, size_t count)
{
	const unsigned char *a = left;
	const unsigned char *b = right;

	for (; count > 0; count--, a++, b++) {
		if (*a != *b)
			return *a < *b ? -1 : 1;
	}
	return 0;
}

/* clang turns a memcmp of which only zero or not counts into a call of bcmp */
int rig_core_bcmp(const void *left, const void *right, size_t count)
{
	return rig_core_memcmp(left, right, count);
}
