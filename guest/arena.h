/* SPDX-License-Identifier: MIT */
/*
 * Places for what the core is given. Each arena lies between two inaccessible pages; an object
 * in it has known bytes around it, which must be there after the call.
 */
#ifndef RIG_ARENA_H
#define RIG_ARENA_H

#include "text.h"

#define ARENA_ZONE 64 /* known bytes on either side */

enum guard { GUARD_NONE, GUARD_AFTER, GUARD_BEFORE };

struct arena {
	const char *name; /* as clobber reports have it */
	uint8_t *object;
	size_t length;

	uint8_t *pages; /* between the guards */
	size_t size;
	int zoned; /* the known bytes around this place were there at the last look */
};

/* 0, or -1 when pages cannot be protected here */
int arena_init(void);

/*
 * Places an object of @length bytes: @offset from a boundary of 64 bytes, or of @align (a power of
 * two) where that is more; or against a guard page. Returns 0, or -1 when there is no memory.
 */
int arena_place(struct arena *arena, size_t length, size_t offset, size_t align,
		enum guard guard);

/* NULL, or on which side the known bytes changed: "before-" or "after-" */
const char *arena_changed(struct arena *arena);

#endif
