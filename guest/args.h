/* SPDX-License-Identifier: MIT */
/* The arguments of hash, compress and time, read from "name=value" words. */
#ifndef RIG_ARGS_H
#define RIG_ARGS_H

#include "arena.h"
#include "text.h"

enum arg {
	ARG_AT,
	ARG_CTR,
	ARG_CUT,
	ARG_F,
	ARG_FILL,
	ARG_GUARD,
	ARG_H,
	ARG_IN,
	ARG_INC,
	ARG_KEY,
	ARG_LOOPS,
	ARG_MAP,
	ARG_N,
	ARG_OUT,
	ARG_REP,
	ARG_STACK,
	ARG_T,
	ARG_COUNT,
};

#define ARG_BIT(arg) (1u << (arg))

struct args {
	unsigned int given; /* bits of enum arg */
	struct slice text[ARG_COUNT];

	/* with defaults filled in */
	size_t n;
	size_t at;
	size_t out;
	enum guard guard;
	uint8_t fill;
	uint8_t stack; /* used if ARG_STACK was given */
	uint64_t ctr[2];
	uint64_t t[2];
	uint64_t f[2];
	uint32_t inc;
	uint64_t loops;
	uint64_t rep;
	uint64_t map; /* used if ARG_MAP was given */
};

/*
 * Reads @words, of which the bits in @allowed may and those in @required must be there. Returns
 * NULL, or what is wrong, with the offending word in @word.
 */
const char *args_read(struct args *args, struct slice words, unsigned int allowed,
		      unsigned int required, struct slice *word);

#endif
