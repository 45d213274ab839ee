/* SPDX-License-Identifier: MIT */
/* For cores that define blake2b_compress alone: the rest comes from guest/blake2b.c. */
#define RIG_ADAPTER "compress"
#include "contract_ops.h"
