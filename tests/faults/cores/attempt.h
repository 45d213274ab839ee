/* SPDX-License-Identifier: MIT */
/*
 * A hostile core tries what it must not be able to do, tells on standard error what became of
 * each attempt, and ends: with status 10 when all was refused, 11 when anything went through.
 * TESTER_PID, CANARY and DOCKER_ADDRESS are the tester's; nothing of them may be in reach.
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "fault.h"

#ifndef CANARY
#define CANARY "/nowhere"
#endif
#ifndef TESTER_PID
#define TESTER_PID 1
#endif

#define TEXT_BYTES 1000

static char told[TEXT_BYTES] = "attempted:";
static int through;

/* result: of a system call, negative when it was refused */
static inline void attempt(const char *what, long result)
{
	size_t used = strlen(told);

	if (result >= 0)
		through = 1;
	snprintf(told + used, sizeof(told) - 1 - used, " %s=%d", what, result < 0 ? errno : 0);
}

static inline void give_account(void)
{
	strcat(told, "\n");
	say(STDERR_FILENO, told, strlen(told));
	_exit(through ? 11 : 10);
}

#endif
