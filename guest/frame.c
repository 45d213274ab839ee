/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include "port.h"

#define CRC_POLYNOMIAL 0xEDB88320u
#define TAIL_BYTES 10 /* " *" and eight digits */
#define REPLY_BYTES 1024

static uint32_t crc_table[256];
static char input[2 * FRAME_BYTES];
static size_t input_start; /* of what was not handed out yet */
static size_t input_end;
static char reply_text[REPLY_BYTES];
static struct line reply = { .text = reply_text };
static char output[32 * REPLY_BYTES]; /* replies that wait, while corked */
static size_t output_length;
static int corked;

void frame_init(void)
{
	uint32_t i;

	for (i = 0; i < 256; i++) {
		uint32_t crc = i;
		int bit;

		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
		crc_table[i] = crc;
	}
}

static uint32_t crc32(const char *text, size_t length)
{
	uint32_t crc = 0xFFFFFFFFu;
	size_t i;

	for (i = 0; i < length; i++)
		crc = crc >> 8 ^ crc_table[(crc ^ (unsigned char)text[i]) & 255];
	return ~crc;
}

static void send(const char *text, size_t length)
{
	if (port_write(text, length) != 0)
		port_exit(1);
}

void frame_flush(void)
{
	size_t length = output_length;

	output_length = 0;
	if (length > 0)
		send(output, length);
}

void frame_cork(int on)
{
	frame_flush();
	corked = on;
}

/* The next line without its end. A line that is too long is skipped whole: returns -1. */
static int next_line(struct slice *line)
{
	size_t seen = input_start;
	int too_long = 0;

	for (;;) {
		long got;

		for (; seen < input_end; seen++) {
			if (input[seen] != '\n')
				continue;
			line->text = input + input_start;
			line->length = seen - input_start;
			input_start = seen + 1;
			return too_long || line->length >= FRAME_BYTES ? -1 : 1;
		}
		if (input_end - input_start >= FRAME_BYTES) {
			too_long = 1;
			input_start = input_end;
		}
		if (sizeof(input) - input_end < FRAME_BYTES / 2) {
			memmove(input, input + input_start, input_end - input_start);
			input_end -= input_start;
			input_start = 0;
		}
		seen = input_end;
		frame_flush();
		got = port_read(input + input_end, sizeof(input) - input_end);
		if (got <= 0)
			return 0;
		input_end += (size_t)got;
	}
}

static const char *split(struct slice line, struct request *request)
{
	struct slice tail;
	struct slice digits;
	uint64_t crc;
	uint64_t seq;

	if (line.length < TAIL_BYTES || line.text[0] != '#')
		return "frame form";
	tail.text = line.text + line.length - TAIL_BYTES;
	tail.length = TAIL_BYTES;
	digits.text = tail.text + 2;
	digits.length = 8;
	if (tail.text[0] != ' ' || tail.text[1] != '*' || parse_hex(digits, &crc) != 0)
		return "frame form";
	line.length -= TAIL_BYTES;
	if (crc32(line.text, line.length) != crc)
		return "frame crc";

	line.text++;
	line.length--;
	slice_cut(&line, ' ', &request->seq);
	if (parse_decimal(request->seq, UINT64_MAX, &seq) != 0)
		return "frame seq";
	if (!slice_cut(&line, ' ', &request->command) || request->command.length == 0)
		return "frame command";
	request->args = line;
	return NULL;
}

enum frame_result frame_next(struct request *request, const char **reason)
{
	struct slice line;
	int got = next_line(&line);

	if (got == 0)
		return FRAME_END;
	*reason = got < 0 ? "frame length" : split(line, request);
	return *reason == NULL ? FRAME_OK : FRAME_BAD;
}

struct line *reply_begin(struct slice seq, const char *status)
{
	reply.length = 0;
	reply.size = sizeof(reply_text) - TAIL_BYTES - 1;
	put_text(&reply, "#");
	put_slice(&reply, seq);
	put_text(&reply, " ");
	put_text(&reply, status);
	return &reply;
}

void reply_end(void)
{
	uint32_t crc = crc32(reply.text, reply.length);
	uint8_t bytes[4];
	int i;

	for (i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(crc >> (24 - 8 * i));
	reply.size = sizeof(reply_text);
	put_text(&reply, " *");
	put_hex_bytes(&reply, bytes, sizeof(bytes));
	put_text(&reply, "\n");
	if (!corked) {
		send(reply.text, reply.length);
		return;
	}
	if (reply.length > sizeof(output) - output_length)
		frame_flush();
	memcpy(output + output_length, reply.text, reply.length);
	output_length += reply.length;
}
