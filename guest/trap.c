/* SPDX-License-Identifier: MIT */
#include "trap.h"

#include "text.h"

size_t trap_line(char text[TRAP_BYTES], int number, uintptr_t pc)
{
	struct line line = { .text = text, .size = TRAP_BYTES };
	uint8_t bytes[sizeof(pc)];
	size_t i;

	for (i = 0; i < sizeof(pc); i++)
		bytes[i] = (uint8_t)(pc >> (8 * (sizeof(pc) - 1 - i)));
	put_text(&line, "rig-trap signal=");
	put_decimal(&line, (uint64_t)number);
	put_text(&line, " pc=");
	put_hex_bytes(&line, bytes, sizeof(bytes));
	put_text(&line, "\n");
	return line.length;
}
