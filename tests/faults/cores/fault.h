/* SPDX-License-Identifier: MIT */
/*
 * A right core under another name, and the one question at which a broken core does its harm:
 * the message of the three bytes 00 01 02, without a key. Every other answer is right.
 */
#ifndef FAULT_H
#define FAULT_H

#define _GNU_SOURCE
#include "blake2b.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define blake2b_compress right_compress
static void right_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
			   uint32_t inc);
#include "../../../guest/cores/rolled.c"
#undef blake2b_compress

static inline int is_due(const struct blake2b_state *state, const uint8_t *blocks, uint32_t inc)
{
	static const uint8_t message[3] = { 0, 1, 2 };

	return state->f[0] != 0 && inc == sizeof(message) && state->t[0] == 0 &&
	       memcmp(blocks, message, sizeof(message)) == 0;
}

/* Writes it all, as far as anybody takes it. */
static inline void say(int to, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t sent = write(to, text, size);

		if (sent <= 0)
			return;
		text += sent;
		size -= (size_t)sent;
	}
}

#endif
