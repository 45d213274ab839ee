/* SPDX-License-Identifier: MIT */
/*
 * A guest: a core in conversation. It reads requests and answers each with one write, until quit
 * or the end of its input. The protocol is in docs/wire.md.
 */
#include "arena.h"
#include "frame.h"
#include "hello.h"
#include "port.h"
#include "run.h"

static const struct slice nobody = { "0", 1 };
static const struct slice nothing;
static int guarded;

static void hello(struct slice seq)
{
	put_hello(reply_begin(seq, "ok"), guarded);
	reply_end();
}

static void empty_reply(struct slice seq)
{
	reply_begin(seq, "ok");
	reply_end();
}

/* quit [status]: by the status the asker tells this end from any other */
static void quit(const struct request *request)
{
	uint64_t status = 0;

	if (request->args.text != NULL && parse_decimal(request->args, 125, &status) != 0) {
		run_error(request->seq, "usage quit takes a status up to 125", request->args);
		return;
	}
	empty_reply(request->seq);
	frame_flush();
	port_exit((int)status);
}

static void answer(const struct request *request)
{
	struct slice command = request->command;
	int bare = request->args.text == NULL;

	if (slice_is(command, "hash")) {
		run_hash(request);
	} else if (slice_is(command, "compress")) {
		run_compress(request);
	} else if (slice_is(command, "time")) {
		run_time(request);
	} else if (slice_is(command, "hello") && bare) {
		hello(request->seq);
	} else if (slice_is(command, "sync") && bare) {
		empty_reply(request->seq);
	} else if (slice_is(command, "cork") && slice_is(request->args, "on")) {
		frame_cork(1);
		empty_reply(request->seq);
	} else if (slice_is(command, "cork") && slice_is(request->args, "off")) {
		frame_cork(0);
		empty_reply(request->seq);
	} else if (slice_is(command, "quit")) {
		quit(request);
	} else {
		run_error(request->seq, "usage unknown command", command);
	}
}

int main(void)
{
	struct request request;
	const char *reason;

	port_report_traps();
	frame_init();
	guarded = arena_init() == 0;
	hello(nobody);
	for (;;) {
		switch (frame_next(&request, &reason)) {
		case FRAME_OK:
			answer(&request);
			break;
		case FRAME_BAD:
			run_error(nobody, reason, nothing);
			break;
		case FRAME_END:
			port_exit(0);
		}
	}
}
