/* SPDX-License-Identifier: MIT */
#ifndef RIG_STACK_H
#define RIG_STACK_H

#include <stdint.h>

/* fills the 16 KiB of stack below the caller's frame, where the next call will lie */
void stack_fill(uint8_t byte);

#endif
