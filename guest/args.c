/* SPDX-License-Identifier: MIT */
#include "args.h"

#include "blake2b.h"

static const char *const names[ARG_COUNT] = {
	[ARG_AT] = "at",     [ARG_CTR] = "ctr",	    [ARG_CUT] = "cut",	 [ARG_F] = "f",
	[ARG_FILL] = "fill", [ARG_GUARD] = "guard", [ARG_H] = "h",	 [ARG_IN] = "in",
	[ARG_INC] = "inc",   [ARG_KEY] = "key",	    [ARG_LOOPS] = "loops", [ARG_MAP] = "map",
	[ARG_N] = "n",	     [ARG_OUT] = "out",	    [ARG_REP] = "rep",	 [ARG_STACK] = "stack",
	[ARG_T] = "t",
};

static int find(struct slice name)
{
	int i;

	for (i = 0; i < ARG_COUNT; i++) {
		if (slice_is(name, names[i]))
			return i;
	}
	return -1;
}

static int read_size(struct slice text, uint64_t min, uint64_t max, size_t *size)
{
	uint64_t value;

	if (parse_decimal(text, max, &value) != 0 || value < min)
		return -1;
	*size = (size_t)value;
	return 0;
}

static int read_guard(struct slice text, enum guard *guard)
{
	if (slice_is(text, "after"))
		*guard = GUARD_AFTER;
	else if (slice_is(text, "before"))
		*guard = GUARD_BEFORE;
	else if (slice_is(text, "-"))
		*guard = GUARD_NONE;
	else
		return -1;
	return 0;
}

static int read_inc(struct slice text, uint32_t *inc)
{
	size_t value;

	if (read_size(text, 0, BLAKE2B_BLOCK_BYTES, &value) != 0)
		return -1;
	*inc = (uint32_t)value;
	return 0;
}

static int read_byte(struct slice text, uint8_t *byte)
{
	return text.length == 2 ? parse_hex_bytes(text, byte) : -1;
}

static int read_value(struct args *args, enum arg arg, struct slice text)
{
	switch (arg) {
	case ARG_AT:
		return read_size(text, 0, 63, &args->at);
	case ARG_OUT:
		return read_size(text, 0, 63, &args->out);
	case ARG_N:
		return read_size(text, 1, BLAKE2B_HASH_BYTES, &args->n);
	case ARG_INC:
		return read_inc(text, &args->inc);
	case ARG_LOOPS:
		return parse_decimal(text, UINT64_MAX, &args->loops);
	case ARG_REP:
		return parse_decimal(text, UINT64_MAX, &args->rep);
	case ARG_MAP:
		return parse_decimal(text, UINT64_MAX, &args->map);
	case ARG_GUARD:
		return read_guard(text, &args->guard);
	case ARG_FILL:
		return read_byte(text, &args->fill);
	case ARG_STACK:
		return read_byte(text, &args->stack);
	case ARG_CTR:
		return parse_hex_pair(text, args->ctr);
	case ARG_T:
		return parse_hex_pair(text, args->t);
	case ARG_F:
		return parse_hex_pair(text, args->f);
	default:
		return 0; /* data and pieces are read by those who use them */
	}
}

static void set_defaults(struct args *args)
{
	args->given = 0;
	args->n = BLAKE2B_HASH_BYTES;
	args->at = 0;
	args->out = 0;
	args->guard = GUARD_NONE;
	args->fill = 0xa5;
	args->t[0] = 0;
	args->t[1] = 0;
	args->f[0] = 0;
	args->f[1] = 0;
	args->inc = BLAKE2B_BLOCK_BYTES;
	args->loops = 1;
	args->rep = 1;
}

const char *args_read(struct args *args, struct slice words, unsigned int allowed,
		      unsigned int required, struct slice *word)
{
	set_defaults(args);
	while (slice_cut(&words, ' ', word)) {
		struct slice value = *word;
		struct slice name;
		int arg;

		slice_cut(&value, '=', &name);
		arg = find(name);
		if (arg < 0 || value.text == NULL || !(allowed & ARG_BIT(arg)))
			return "unknown argument";
		if (args->given & ARG_BIT(arg))
			return "argument given twice";
		args->given |= ARG_BIT(arg);
		args->text[arg] = value;
		if (read_value(args, (enum arg)arg, value) != 0)
			return "value out of range";
	}
	word->length = 0;
	return (args->given & required) == required ? NULL : "argument missing";
}
