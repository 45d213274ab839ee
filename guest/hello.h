/* SPDX-License-Identifier: MIT */
#ifndef RIG_HELLO_H
#define RIG_HELLO_H

#include "text.h"

/* the payload of hello; guarded: pages can be protected here */
void put_hello(struct line *line, int guarded);

#endif
