/* SPDX-License-Identifier: MIT */
/* What one command was asked for, and what the core is given for it. */
#ifndef RIG_STAGE_H
#define RIG_STAGE_H

#include "arena.h"
#include "args.h"
#include "data.h"
#include "frame.h"

#define STAGE_ARGS \
	(ARG_BIT(ARG_AT) | ARG_BIT(ARG_GUARD) | ARG_BIT(ARG_FILL) | ARG_BIT(ARG_STACK))

struct stage {
	struct args args;

	/* as asked for, before the core sees it */
	struct data message_data;
	struct data key_data;
	struct data state_data;

	/* what the core is given */
	struct arena context;
	struct arena message;
	struct arena key;
	struct arena digest;
};

extern struct stage stage;

/* Those that return a number reply and return -1 when something is wrong, but for the placing. */

int stage_args(const struct request *request, unsigned int allowed, unsigned int required);

/* an argument's data, empty by default */
int stage_load(const struct request *request, enum arg arg, struct data *data);

/* copies of data, and the context filled as asked; -1 when there is no memory, without a reply */
int stage_place(struct arena *arena, const struct data *data, size_t offset);
int stage_context(void);

/* before each call into the core */
void stage_dirty(void);

/* whether memory changed which is not the core's: around an object, or in it */
int stage_look_around(struct slice seq, struct arena *arena);
int stage_look_into(struct slice seq, const struct arena *arena, const struct data *data);

/* "err clobber <side><what>"; returns -1 */
int stage_clobbered(struct slice seq, const char *side, const char *what);

/* "err usage <what>: <detail>" */
void stage_usage(struct slice seq, const char *what, struct slice detail);

#endif
