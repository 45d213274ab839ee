/* SPDX-License-Identifier: MIT */
#include "text.h"

int slice_is(struct slice slice, const char *text)
{
	size_t i;

	for (i = 0; i < slice.length; i++) {
		if (text[i] == '\0' || text[i] != slice.text[i])
			return 0;
	}
	return text[i] == '\0';
}

int slice_cut(struct slice *rest, char separator, struct slice *part)
{
	size_t i;

	if (rest->text == NULL)
		return 0;
	*part = *rest;
	for (i = 0; i < rest->length; i++) {
		if (rest->text[i] == separator) {
			part->length = i;
			rest->text += i + 1;
			rest->length -= i + 1;
			return 1;
		}
	}
	rest->text = NULL;
	rest->length = 0;
	return 1;
}

int parse_decimal(struct slice text, uint64_t max, uint64_t *value)
{
	uint64_t total = 0;
	size_t i;

	if (text.length == 0 || text.length > 20)
		return -1;
	for (i = 0; i < text.length; i++) {
		unsigned int digit = (unsigned int)text.text[i] - '0';

		if (digit > 9 || total > UINT64_MAX / 10 || total * 10 > UINT64_MAX - digit)
			return -1;
		total = total * 10 + digit;
	}
	if (total > max)
		return -1;
	*value = total;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int parse_hex(struct slice text, uint64_t *value)
{
	uint64_t total = 0;
	size_t i;

	if (text.length == 0 || text.length > 16)
		return -1;
	for (i = 0; i < text.length; i++) {
		int digit = hex_digit(text.text[i]);

		if (digit < 0)
			return -1;
		total = total << 4 | (unsigned int)digit;
	}
	*value = total;
	return 0;
}

int parse_hex_pair(struct slice text, uint64_t pair[2])
{
	struct slice low;

	if (!slice_cut(&text, ':', &low) || text.text == NULL)
		return -1;
	return parse_hex(low, &pair[0]) || parse_hex(text, &pair[1]) ? -1 : 0;
}

int parse_hex_bytes(struct slice text, uint8_t *bytes)
{
	size_t i;

	if (text.length % 2 != 0)
		return -1;
	for (i = 0; i < text.length / 2; i++) {
		int high = hex_digit(text.text[2 * i]);
		int low = hex_digit(text.text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -1;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static void put_char(struct line *line, char c)
{
	if (line->length < line->size)
		line->text[line->length++] = c;
}

void put_text(struct line *line, const char *text)
{
	while (*text != '\0')
		put_char(line, *text++);
}

void put_slice(struct line *line, struct slice slice)
{
	size_t i;

	for (i = 0; i < slice.length; i++)
		put_char(line, slice.text[i]);
}

void put_decimal(struct line *line, uint64_t value)
{
	char digits[20];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + divide(&value, 10));
	} while (value > 0);
	while (count > 0)
		put_char(line, digits[--count]);
}

static const char hex[] = "0123456789abcdef";

void put_hex_bytes(struct line *line, const uint8_t *bytes, size_t count)
{
	char *next = line->text + line->length;
	size_t i;

	/* most of a reply is a digest: one look at the room for all of it */
	if (count > (line->size - line->length) / 2)
		count = (line->size - line->length) / 2;
	for (i = 0; i < count; i++) {
		*next++ = hex[bytes[i] >> 4];
		*next++ = hex[bytes[i] & 15];
	}
	line->length += 2 * count;
}

void put_hex_words(struct line *line, const uint64_t *words, size_t count)
{
	size_t i;
	uint8_t bytes[8];
	int byte;

	for (i = 0; i < count; i++) {
		for (byte = 0; byte < 8; byte++)
			bytes[byte] = (uint8_t)(words[i] >> (8 * byte));
		put_hex_bytes(line, bytes, sizeof(bytes));
	}
}
