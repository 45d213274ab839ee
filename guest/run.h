/* SPDX-License-Identifier: MIT */
/* The commands that call the core. Each writes one whole reply. */
#ifndef RIG_RUN_H
#define RIG_RUN_H

#include "frame.h"

void run_hash(const struct request *request);
void run_compress(const struct request *request);
void run_time(const struct request *request);

/* replies "err <reason>", followed by the first 40 bytes of @detail */
void run_error(struct slice seq, const char *reason, struct slice detail);

#endif
