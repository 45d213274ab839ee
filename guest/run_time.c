/* SPDX-License-Identifier: MIT */
#include "ops.h"
#include "port.h"
#include "run.h"
#include "stage.h"

#define TIME_ARGS (ARG_BIT(ARG_IN) | ARG_BIT(ARG_LOOPS))

static const struct slice nothing;

static void clock_error(struct slice seq, int error)
{
	struct line *line = reply_begin(seq, "err clock ");

	put_decimal(line, (uint64_t)error);
	reply_end();
}

void run_time(const struct request *request)
{
	struct line *line;
	uint64_t start;
	uint64_t end;
	uint64_t i;
	int error;

	if (stage_args(request, TIME_ARGS, 0) != 0 ||
	    stage_load(request, ARG_IN, &stage.message_data) != 0)
		return;
	if (stage_context() != 0 || stage_place(&stage.message, &stage.message_data, 0) != 0 ||
	    arena_place(&stage.digest, stage.args.n, 0, 1, stage.args.guard) != 0) {
		run_error(request->seq, "memory", nothing);
		return;
	}
	error = port_clock(&start);
	for (i = 0; error == 0 && i < stage.args.loops; i++) {
		rig_ops.init(stage.context.object, stage.args.n, stage.context.object, 0);
		rig_ops.update(stage.context.object, stage.message.object, stage.message.length);
		rig_ops.final(stage.context.object, stage.digest.object);
	}
	if (error == 0)
		error = port_clock(&end);
	if (error != 0) {
		clock_error(request->seq, error);
		return;
	}
	line = reply_begin(request->seq, "ok ns=");
	put_decimal(line, end - start);
	put_text(line, " loops=");
	put_decimal(line, stage.args.loops);
	reply_end();
}
