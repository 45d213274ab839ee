/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "args.h"
#include "blake2b.h"
#include "data.h"
#include "ops.h"
#include "port.h"
#include "stack.h"

#define PLACED_ARGS \
	(ARG_BIT(ARG_AT) | ARG_BIT(ARG_GUARD) | ARG_BIT(ARG_FILL) | ARG_BIT(ARG_STACK))
#define HASH_ARGS                                                                       \
	(PLACED_ARGS | ARG_BIT(ARG_N) | ARG_BIT(ARG_KEY) | ARG_BIT(ARG_IN) | ARG_BIT(ARG_CUT) | \
	 ARG_BIT(ARG_OUT) | ARG_BIT(ARG_CTR))
#define COMPRESS_NEEDS (ARG_BIT(ARG_H) | ARG_BIT(ARG_IN))
#define COMPRESS_ARGS \
	(PLACED_ARGS | COMPRESS_NEEDS | ARG_BIT(ARG_T) | ARG_BIT(ARG_F) | ARG_BIT(ARG_INC))
#define TIME_ARGS (ARG_BIT(ARG_IN) | ARG_BIT(ARG_LOOPS))

#define STATE_BYTES 64

/* as asked for, before the core sees it */
static struct data message_data;
static struct data key_data;
static struct data state_data;

/* what the core is given */
static struct arena context = { .name = "context" };
static struct arena message = { .name = "message" };
static struct arena key = { .name = "key" };
static struct arena digest = { .name = "digest" };

static struct args args;

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

static void usage(struct slice seq, const char *what, struct slice detail)
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

static int read_args(const struct request *request, unsigned int allowed, unsigned int required)
{
	struct slice word;
	const char *wrong = args_read(&args, request->args, allowed, required, &word);

	if (wrong != NULL)
		usage(request->seq, wrong, word);
	return wrong == NULL ? 0 : -1;
}

/* Loads an argument's data, empty by default; replies and returns -1 when that fails. */
static int load(const struct request *request, enum arg arg, struct data *data)
{
	data->length = 0;
	if (!(args.given & ARG_BIT(arg)))
		return 0;
	switch (data_load(data, args.text[arg])) {
	case DATA_OK:
		return 0;
	case DATA_BAD:
		usage(request->seq, "not data", args.text[arg]);
		return -1;
	default:
		run_error(request->seq, "memory", nothing);
		return -1;
	}
}

static int place(struct arena *arena, const struct data *data, size_t offset)
{
	if (arena_place(arena, data->length, offset, 1, args.guard) != 0)
		return -1;
	if (data->length > 0)
		memcpy(arena->object, data->bytes, data->length);
	return 0;
}

static int place_context(void)
{
	if (arena_place(&context, rig_ops.ctx_size, 0, rig_ops.ctx_align, args.guard) != 0)
		return -1;
	memset(context.object, args.fill, context.length);
	return 0;
}

/* Replies that memory changed which is not the core's, and returns -1. */
static int clobbered(struct slice seq, const char *side, const char *what)
{
	struct line *line = reply_begin(seq, "err clobber ");

	put_text(line, side);
	put_text(line, what);
	reply_end();
	return -1;
}

static int look_around(struct slice seq, struct arena *arena)
{
	const char *side = arena_changed(arena);

	return side == NULL ? 0 : clobbered(seq, side, arena->name);
}

static int look_into(struct slice seq, const struct arena *arena, const struct data *data)
{
	if (data->length == 0 || memcmp(arena->object, data->bytes, data->length) == 0)
		return 0;
	return clobbered(seq, "", arena->name);
}

static void dirty_stack(void)
{
	if (args.given & ARG_BIT(ARG_STACK))
		stack_fill(args.stack);
}

/* Whether the pieces are numbers that fit into the message. */
static int check_pieces(struct slice pieces, size_t length)
{
	struct slice piece;
	uint64_t size;

	while (slice_cut(&pieces, ',', &piece)) {
		if (parse_decimal(piece, length, &size) != 0)
			return -1;
		length -= (size_t)size;
	}
	return 0;
}

/* All pieces, then the rest, which may be empty. */
static void update(void)
{
	struct slice pieces = nothing;
	struct slice piece;
	const uint8_t *bytes = message.object;
	size_t left = message.length;

	if (args.given & ARG_BIT(ARG_CUT))
		pieces = args.text[ARG_CUT];
	while (slice_cut(&pieces, ',', &piece)) {
		uint64_t size = 0;

		parse_decimal(piece, left, &size);
		dirty_stack();
		rig_ops.update(context.object, bytes, (size_t)size);
		bytes += size;
		left -= (size_t)size;
	}
	dirty_stack();
	rig_ops.update(context.object, bytes, left);
}

static int prepare_hash(const struct request *request)
{
	struct slice seq = request->seq;

	if (read_args(request, HASH_ARGS, 0) != 0 || load(request, ARG_IN, &message_data) != 0 ||
	    load(request, ARG_KEY, &key_data) != 0)
		return -1;
	if (key_data.length > BLAKE2B_KEY_BYTES) {
		usage(seq, "key too long", nothing);
		return -1;
	}
	if (args.given & ARG_BIT(ARG_CUT) &&
	    check_pieces(args.text[ARG_CUT], message_data.length) != 0) {
		usage(seq, "pieces do not fit", args.text[ARG_CUT]);
		return -1;
	}
	if (args.given & ARG_BIT(ARG_CTR) && !(rig_ops.features & RIG_HAS_COUNTER)) {
		run_error(seq, "unsupported counter", nothing);
		return -1;
	}
	if (place_context() != 0 || place(&message, &message_data, args.at) != 0 ||
	    place(&key, &key_data, 0) != 0 ||
	    arena_place(&digest, args.n, args.out, 1, args.guard) != 0) {
		run_error(seq, "memory", nothing);
		return -1;
	}
	/* no answer of an earlier case may stand there */
	memset(digest.object, args.fill, digest.length);
	return 0;
}

void run_hash(const struct request *request)
{
	struct slice seq = request->seq;
	struct line *line;

	if (prepare_hash(request) != 0)
		return;

	dirty_stack();
	rig_ops.init(context.object, args.n, key.object, key.length);
	if (args.given & ARG_BIT(ARG_CTR))
		rig_ops.preset(context.object, args.ctr);
	update();
	dirty_stack();
	rig_ops.final(context.object, digest.object);

	if (look_into(seq, &message, &message_data) != 0 || look_into(seq, &key, &key_data) != 0 ||
	    look_around(seq, &context) != 0 || look_around(seq, &message) != 0 ||
	    look_around(seq, &key) != 0 || look_around(seq, &digest) != 0)
		return;
	line = reply_begin(seq, "ok ");
	put_hex_bytes(line, digest.object, digest.length);
	reply_end();
}

static int prepare_compress(const struct request *request)
{
	struct slice seq = request->seq;
	size_t length;

	if (read_args(request, COMPRESS_ARGS, COMPRESS_NEEDS) != 0 ||
	    load(request, ARG_IN, &message_data) != 0 || load(request, ARG_H, &state_data) != 0)
		return -1;
	length = message_data.length;
	if (state_data.length != STATE_BYTES || length == 0 || length % BLAKE2B_BLOCK_BYTES != 0) {
		usage(seq, "h takes 64 bytes, in whole blocks", nothing);
		return -1;
	}
	if (length > BLAKE2B_BLOCK_BYTES && args.inc != BLAKE2B_BLOCK_BYTES) {
		usage(seq, "several blocks only with inc=128", nothing);
		return -1;
	}
	if (!(rig_ops.features & RIG_HAS_COMPRESS)) {
		run_error(seq, "unsupported compress", nothing);
		return -1;
	}
	if (place_context() != 0 || place(&message, &message_data, args.at) != 0) {
		run_error(seq, "memory", nothing);
		return -1;
	}
	return 0;
}

static void state_words(uint64_t h[8])
{
	int i;

	memset(h, 0, STATE_BYTES);
	for (i = 0; i < STATE_BYTES; i++)
		h[i / 8] |= (uint64_t)state_data.bytes[i] << (8 * (i % 8));
}

void run_compress(const struct request *request)
{
	struct slice seq = request->seq;
	struct line *line;
	uint64_t h[8];
	int result;

	if (prepare_compress(request) != 0)
		return;

	state_words(h);
	dirty_stack();
	result = rig_ops.compress(context.object, h, args.t, args.f, message.object,
				  message.length / BLAKE2B_BLOCK_BYTES, args.inc);
	if (result == RIG_UNREACHABLE) {
		run_error(seq, "unsupported state", nothing);
		return;
	}
	if (look_into(seq, &message, &message_data) != 0 || look_around(seq, &context) != 0 ||
	    look_around(seq, &message) != 0)
		return;
	if (result == RIG_CLOBBERED) {
		clobbered(seq, "", "context");
		return;
	}
	line = reply_begin(seq, "ok ");
	put_hex_words(line, h, 8);
	put_text(line, ",");
	put_hex_words(line, args.t, 2);
	put_text(line, ",");
	put_hex_words(line, args.f, 2);
	reply_end();
}

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

	if (read_args(request, TIME_ARGS, 0) != 0 || load(request, ARG_IN, &message_data) != 0)
		return;
	if (place_context() != 0 || place(&message, &message_data, 0) != 0 ||
	    arena_place(&digest, args.n, 0, 1, args.guard) != 0) {
		run_error(request->seq, "memory", nothing);
		return;
	}
	error = port_clock(&start);
	for (i = 0; error == 0 && i < args.loops; i++) {
		rig_ops.init(context.object, args.n, context.object, 0);
		rig_ops.update(context.object, message.object, message.length);
		rig_ops.final(context.object, digest.object);
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
	put_decimal(line, args.loops);
	reply_end();
}
