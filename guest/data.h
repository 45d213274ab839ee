/* SPDX-License-Identifier: MIT */
/* Data by rule: "<kind>:<seed>:<length>", "hex:<bytes>" or "-". See docs/wire.md. */
#ifndef RIG_DATA_H
#define RIG_DATA_H

#include "text.h"

/*
 * A stream and as much of it as was ever asked for: many cases use prefixes of one stream, and
 * making bytes one by one costs more than hashing them.
 */
struct data {
	uint8_t *bytes;
	size_t length; /* of what was asked for last */

	size_t size; /* of the mapping */
	size_t made; /* bytes that are there */
	char kind;   /* first letter; 0 for bytes that no rule made */
	uint64_t seed;
	uint64_t step; /* state of the generator after @made bytes */
};

enum data_result { DATA_OK, DATA_BAD, DATA_MEMORY };

enum data_result data_load(struct data *data, struct slice text);

#endif
