/* SPDX-License-Identifier: MIT */
#ifndef RIG_TRAP_H
#define RIG_TRAP_H

#include <stddef.h>
#include <stdint.h>

#define TRAP_BYTES 64

/* "rig-trap signal=<number> pc=<hex>" and a line end; returns how many bytes */
size_t trap_line(char text[TRAP_BYTES], int number, uintptr_t pc);

#endif
