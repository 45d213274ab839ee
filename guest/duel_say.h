/* SPDX-License-Identifier: MIT */
/* What a duel prints, a line each; guest/duel.c has the list. */
#ifndef RIG_DUEL_SAY_H
#define RIG_DUEL_SAY_H

#include <stddef.h>
#include <stdint.h>

#define DUEL_SIDES 3
#define DUEL_DIGEST 64

void say(const char *kind, const char *text);
void say_number(const char *kind, uint64_t value);
void say_cpu(void);
void say_digest(size_t side, const uint8_t digest[DUEL_DIGEST]);
void say_samples(const char *kind, size_t length, uint64_t loops,
		 uint64_t (*samples)[DUEL_SIDES], size_t rounds);

_Noreturn void give_up(const char *why);

#endif
