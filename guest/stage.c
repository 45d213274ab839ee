/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include "ops.h"
#include "run.h"
#include "stack.h"

struct stage stage = {
	.context.name = "context",
	.message.name = "message",
	.key.name = "key",
	.digest.name = "digest",
};

static const struct slice nothing;

void run_error(struct slice seq, const char *reason, struct slice detail)
{
	struct line *line = reply_begin(seq, "err ");

	put_text(line, reason);
	if (detail.length > 40)
		detail.length = 40;
	if (detail.length > 0)
		put_text(line, " ");
	put_slice(line, detail);
	reply_end();
}

void stage_usage(struct slice seq, const char *what, struct slice detail)
{
	struct line *line = reply_begin(seq, "err usage ");

	put_text(line, what);
	if (detail.length > 40)
		detail.length = 40;
	if (detail.length > 0)
		put_text(line, ": ");
	put_slice(line, detail);
	reply_end();
}

int stage_args(const struct request *request, unsigned int allowed, unsigned int required)
{
	struct slice word;
	const char *wrong = args_read(&stage.args, request->args, allowed, required, &word);

	if (wrong != NULL)
		stage_usage(request->seq, wrong, word);
	return wrong == NULL ? 0 : -1;
}

int stage_load(const struct request *request, enum arg arg, struct data *data)
{
	data->length = 0;
	if (!(stage.args.given & ARG_BIT(arg)))
		return 0;
	switch (data_load(data, stage.args.text[arg])) {
	case DATA_OK:
		return 0;
	case DATA_BAD:
		stage_usage(request->seq, "not data", stage.args.text[arg]);
		return -1;
	default:
		run_error(request->seq, "memory", nothing);
		return -1;
	}
}

int stage_place(struct arena *arena, const struct data *data, size_t offset)
{
	if (arena_place(arena, data->length, offset, 1, stage.args.guard) != 0)
		return -1;
	if (data->length > 0)
		memcpy(arena->object, data->bytes, data->length);
	return 0;
}

int stage_context(void)
{
	if (arena_place(&stage.context, rig_ops.ctx_size, 0, rig_ops.ctx_align,
			stage.args.guard) != 0)
		return -1;
	memset(stage.context.object, stage.args.fill, stage.context.length);
	return 0;
}

int stage_clobbered(struct slice seq, const char *side, const char *what)
{
	struct line *line = reply_begin(seq, "err clobber ");

	put_text(line, side);
	put_text(line, what);
	reply_end();
	return -1;
}

int stage_look_around(struct slice seq, struct arena *arena)
{
	const char *side = arena_changed(arena);

	return side == NULL ? 0 : stage_clobbered(seq, side, arena->name);
}

int stage_look_into(struct slice seq, const struct arena *arena, const struct data *data)
{
	if (data->length == 0 || memcmp(arena->object, data->bytes, data->length) == 0)
		return 0;
	return stage_clobbered(seq, "", arena->name);
}

void stage_dirty(void)
{
	if (stage.args.given & ARG_BIT(ARG_STACK))
		stack_fill(stage.args.stack);
}
