/* SPDX-License-Identifier: MIT */
#include "data.h"

#include "port.h"

#define FIRST_SIZE 65536 /* a multiple of every page size in use */

/* Room for @length bytes; those that were there stay. */
static int reserve(struct data *data, size_t length)
{
	size_t size = data->size ? data->size : FIRST_SIZE;
	uint8_t *bytes;

	if (length <= data->size)
		return 0;
	while (size < length) {
		if (size > SIZE_MAX / 4)
			return -1;
		size *= 2;
	}
	bytes = port_map(size);
	if (bytes == NULL)
		return -1;
	if (data->bytes != NULL) {
		memcpy(bytes, data->bytes, data->made);
		port_unmap(data->bytes, data->size);
	}
	data->bytes = bytes;
	data->size = size;
	return 0;
}

static void make_lcg(struct data *data, size_t length)
{
	uint64_t state = data->step;
	size_t i;

	for (i = data->made; i < length; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		data->bytes[i] = (uint8_t)(state >> 56);
	}
	data->step = state;
}

static void make_inc(struct data *data, size_t length)
{
	unsigned int value = (unsigned int)data->step;
	size_t i;

	for (i = data->made; i < length; i++) {
		data->bytes[i] = (uint8_t)value;
		value = value == 250 ? 0 : value + 1;
	}
	data->step = value;
}

static void make(struct data *data, size_t length)
{
	switch (data->kind) {
	case 'l':
		make_lcg(data, length);
		break;
	case 'b':
		memset(data->bytes + data->made, (uint8_t)data->seed, length - data->made);
		break;
	case 'i':
		make_inc(data, length);
		break;
	}
	data->made = length;
}

static enum data_result load_stream(struct data *data, char kind, struct slice rest)
{
	struct slice word;
	uint64_t seed;
	uint64_t length;

	if (!slice_cut(&rest, ':', &word) || rest.text == NULL ||
	    parse_decimal(word, UINT64_MAX, &seed) != 0 ||
	    parse_decimal(rest, UINT64_MAX, &length) != 0)
		return DATA_BAD;
	if (length > SIZE_MAX / 4)
		return DATA_MEMORY;
	if (data->kind != kind || data->seed != seed) {
		data->kind = kind;
		data->seed = seed;
		data->step = kind == 'i' ? divide(&seed, 251) : seed;
		data->made = 0;
	}
	if (length > data->made) {
		if (reserve(data, (size_t)length) != 0)
			return DATA_MEMORY;
		make(data, (size_t)length);
	}
	data->length = (size_t)length;
	return DATA_OK;
}

static enum data_result load_hex(struct data *data, struct slice digits)
{
	data->kind = 0;
	data->made = 0;
	data->length = 0;
	if (reserve(data, digits.length / 2) != 0)
		return DATA_MEMORY;
	if (parse_hex_bytes(digits, data->bytes) != 0)
		return DATA_BAD;
	data->length = digits.length / 2;
	data->made = data->length;
	return DATA_OK;
}

enum data_result data_load(struct data *data, struct slice text)
{
	struct slice kind;

	if (slice_is(text, "-")) {
		data->length = 0;
		return DATA_OK;
	}
	if (!slice_cut(&text, ':', &kind) || text.text == NULL)
		return DATA_BAD;
	if (slice_is(kind, "hex"))
		return load_hex(data, text);
	if (slice_is(kind, "lcg") || slice_is(kind, "byte") || slice_is(kind, "inc"))
		return load_stream(data, kind.text[0], text);
	return DATA_BAD;
}
