/* SPDX-License-Identifier: MIT */
/* For cores that define all of blake2b.h: compress, init, update and final. */
#define RIG_ADAPTER "full"
#include "contract_ops.h"
