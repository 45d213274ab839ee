/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include "port.h"

#define SPARE 1024 /* zones, offset and alignment beside the object */

static uint8_t zone[ARENA_ZONE];
static size_t page;
static int guarded;

int arena_init(void)
{
	uint8_t *probe;
	size_t i;

	for (i = 0; i < sizeof(zone); i++)
		zone[i] = (uint8_t)(0x5b + 37 * i);
	page = port_page_size();
	probe = port_map(page);
	guarded = probe != NULL && port_protect(probe, page, PORT_NONE) == 0;
	return guarded ? 0 : -1;
}

static int map(struct arena *arena, size_t length)
{
	size_t size = arena->size ? arena->size : page;
	uint8_t *pages;

	while (size - SPARE < length) {
		if (size > SIZE_MAX / 4)
			return -1;
		size *= 2;
	}
	pages = port_map(size + 2 * page);
	if (pages == NULL)
		return -1;
	if (guarded && (port_protect(pages, page, PORT_NONE) != 0 ||
			port_protect(pages + page + size, page, PORT_NONE) != 0)) {
		port_unmap(pages, size + 2 * page);
		return -1;
	}
	if (arena->pages != NULL)
		port_unmap(arena->pages - page, arena->size + 2 * page);
	arena->pages = pages + page;
	arena->size = size;
	arena->zoned = 0;
	return 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t zone_before(const struct arena *arena)
{
	return smaller(ARENA_ZONE, (size_t)(arena->object - arena->pages));
}

static size_t zone_after(const struct arena *arena)
{
	size_t end = (size_t)(arena->object - arena->pages) + arena->length;

	return smaller(ARENA_ZONE, arena->size - end);
}

int arena_place(struct arena *arena, size_t length, size_t offset, size_t align,
		enum guard guard)
{
	size_t start = align > ARENA_ZONE ? align : ARENA_ZONE;

	if (arena->pages == NULL || arena->size - SPARE < length) {
		if (map(arena, length) != 0)
			return -1;
	}
	if (guard == GUARD_AFTER)
		start = (arena->size - length) & ~(align - 1);
	else if (guard == GUARD_BEFORE)
		start = 0;
	else
		start += offset;

	if (arena->zoned && arena->object == arena->pages + start && arena->length == length)
		return 0;
	arena->object = arena->pages + start;
	arena->length = length;
	memcpy(arena->object - zone_before(arena), zone, zone_before(arena));
	memcpy(arena->object + length, zone, zone_after(arena));
	arena->zoned = 1;
	return 0;
}

const char *arena_changed(struct arena *arena)
{
	const uint8_t *end = arena->object + arena->length;

	arena->zoned = 0;
	if (memcmp(arena->object - zone_before(arena), zone, zone_before(arena)) != 0)
		return "before-";
	if (memcmp(end, zone, zone_after(arena)) != 0)
		return "after-";
	arena->zoned = 1;
	return NULL;
}
