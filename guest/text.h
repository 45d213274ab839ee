/* SPDX-License-Identifier: MIT */
/* Numbers, hex and slices of a line: no stdio, so that every target speaks alike. */
#ifndef RIG_TEXT_H
#define RIG_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Declared here: a freestanding target has no string.h, and gcc needs the four anyway. */
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *left, const void *right, size_t count);

/*
 * Divides in place and returns the remainder, in steps of 16 bits: 64-bit division would take
 * libgcc, which not every target has in its byte order. The divisor is a constant below 2^16.
 */
static inline unsigned int divide(uint64_t *value, uint32_t divisor)
{
	uint64_t quotient = 0;
	uint32_t rest = 0;
	int shift;

	for (shift = 48; shift >= 0; shift -= 16) {
		rest = rest << 16 | ((uint32_t)(*value >> shift) & 0xffff);
		quotient |= (uint64_t)(rest / divisor) << shift;
		rest %= divisor;
	}
	*value = quotient;
	return rest;
}

/* a part of a line; not ended by a NUL */
struct slice {
	const char *text;
	size_t length;
};

int slice_is(struct slice slice, const char *text);

/*
 * Cuts the part before @separator off the front of @rest; all of it when there is none. Returns
 * 0 when @rest was used up: an empty last part counts as a part.
 */
int slice_cut(struct slice *rest, char separator, struct slice *part);

/* each returns 0, or -1 when the text is not such a number or leaves the range */
int parse_decimal(struct slice text, uint64_t max, uint64_t *value);
int parse_hex(struct slice text, uint64_t *value);	 /* 1 to 16 digits */
int parse_hex_pair(struct slice text, uint64_t pair[2]); /* <low>:<high> */
int parse_hex_bytes(struct slice text, uint8_t *bytes); /* two digits a byte */

/* a line being written; what does not fit is dropped */
struct line {
	char *text;
	size_t length;
	size_t size;
};

void put_text(struct line *line, const char *text);
void put_slice(struct line *line, struct slice slice);
void put_decimal(struct line *line, uint64_t value);
void put_hex_bytes(struct line *line, const uint8_t *bytes, size_t count);
void put_hex_words(struct line *line, const uint64_t *words, size_t count); /* little-endian */

#endif
