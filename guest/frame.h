/* SPDX-License-Identifier: MIT */
/* Frames: "#<seq> <body> *<crc>" in lines of at most FRAME_BYTES. See docs/wire.md. */
#ifndef RIG_FRAME_H
#define RIG_FRAME_H

#include "text.h"

#define FRAME_BYTES 131072 /* with its line end */

struct request {
	struct slice seq;
	struct slice command; /* first word of the body */
	struct slice args;    /* the rest; text is NULL when there is none */
};

void frame_init(void);

/*
 * Reads requests off standard input, many at a time. The request's slices are good until the
 * next call. FRAME_BAD leaves the reason of the
 * error reply in @reason.
 */
enum frame_result { FRAME_OK, FRAME_BAD, FRAME_END };
enum frame_result frame_next(struct request *request, const char **reason);

/* a reply: begin, put the payload, end. The frame is one write. */
struct line *reply_begin(struct slice seq, const char *status);
void reply_end(void);

/* Corked, replies wait until there is no more input; else each leaves with one write. */
void frame_cork(int on);
void frame_flush(void);

#endif
