/* SPDX-License-Identifier: MIT */
#include "blake2b.h"
#include "ops.h"
#include "port.h"
#include "run.h"
#include "stage.h"

#define HASH_ARGS                                                                              \
	(STAGE_ARGS | ARG_BIT(ARG_N) | ARG_BIT(ARG_KEY) | ARG_BIT(ARG_IN) | ARG_BIT(ARG_CUT) | \
	 ARG_BIT(ARG_OUT) | ARG_BIT(ARG_CTR) | ARG_BIT(ARG_REP) | ARG_BIT(ARG_MAP))
#define NOT_WITH_MAP (ARG_BIT(ARG_AT) | ARG_BIT(ARG_GUARD) | ARG_BIT(ARG_CUT) | ARG_BIT(ARG_REP))

static const struct slice nothing;

static int given(unsigned int bits)
{
	return (stage.args.given & bits) != 0;
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

static void update(const void *bytes, size_t length)
{
	stage_dirty();
	rig_ops.update(stage.context.object, bytes, length);
}

/* All pieces, then the rest, which may be empty. */
static void update_pieces(void)
{
	struct slice pieces = nothing;
	struct slice piece;
	const uint8_t *bytes = stage.message.object;
	size_t left = stage.message.length;

	if (given(ARG_BIT(ARG_CUT)))
		pieces = stage.args.text[ARG_CUT];
	while (slice_cut(&pieces, ',', &piece)) {
		uint64_t size = 0;

		parse_decimal(piece, left, &size);
		update(bytes, (size_t)size);
		bytes += size;
		left -= (size_t)size;
	}
	update(bytes, left);
}

/* The message as one piece, from pages that lie in memory again and again. */
static int update_mapped(void)
{
	size_t times = (size_t)stage.args.map;
	size_t total;
	void *pages;

	if (times != stage.args.map ||
	    __builtin_mul_overflow(stage.message.length, times, &total))
		return -1;
	pages = port_repeat(stage.message.object, stage.message.length, times);
	if (pages == NULL)
		return -1;
	update(pages, total);
	port_unmap(pages, total);
	return 0;
}

static const char *wrong_together(void)
{
	if (stage.key_data.length > BLAKE2B_KEY_BYTES)
		return "key too long";
	if (given(ARG_BIT(ARG_CUT)) &&
	    check_pieces(stage.args.text[ARG_CUT], stage.message_data.length) != 0)
		return "pieces do not fit";
	if (given(ARG_BIT(ARG_MAP)) && given(NOT_WITH_MAP))
		return "map goes without at, guard, cut and rep";
	return NULL;
}

static int prepare(const struct request *request)
{
	struct slice seq = request->seq;
	const char *wrong;

	if (stage_args(request, HASH_ARGS, 0) != 0 ||
	    stage_load(request, ARG_IN, &stage.message_data) != 0 ||
	    stage_load(request, ARG_KEY, &stage.key_data) != 0)
		return -1;
	wrong = wrong_together();
	if (wrong != NULL) {
		stage_usage(seq, wrong, nothing);
		return -1;
	}
	if (given(ARG_BIT(ARG_CTR)) && !(rig_ops.features & RIG_HAS_COUNTER)) {
		run_error(seq, "unsupported counter", nothing);
		return -1;
	}
	if (stage_context() != 0 ||
	    stage_place(&stage.message, &stage.message_data, stage.args.at) != 0 ||
	    stage_place(&stage.key, &stage.key_data, 0) != 0 ||
	    arena_place(&stage.digest, stage.args.n, stage.args.out, 1, stage.args.guard) != 0) {
		run_error(seq, "memory", nothing);
		return -1;
	}
	/* no answer of an earlier case may stand there */
	memset(stage.digest.object, stage.args.fill, stage.digest.length);
	return 0;
}

static int look(struct slice seq)
{
	if (stage_look_into(seq, &stage.message, &stage.message_data) != 0 ||
	    stage_look_into(seq, &stage.key, &stage.key_data) != 0 ||
	    stage_look_around(seq, &stage.context) != 0 ||
	    stage_look_around(seq, &stage.message) != 0 ||
	    stage_look_around(seq, &stage.key) != 0 || stage_look_around(seq, &stage.digest) != 0)
		return -1;
	return 0;
}

void run_hash(const struct request *request)
{
	struct line *line;
	uint64_t i;

	if (prepare(request) != 0)
		return;

	stage_dirty();
	rig_ops.init(stage.context.object, stage.args.n, stage.key.object, stage.key.length);
	if (given(ARG_BIT(ARG_CTR)))
		rig_ops.preset(stage.context.object, stage.args.ctr);
	if (!given(ARG_BIT(ARG_MAP))) {
		for (i = 0; i < stage.args.rep; i++)
			update_pieces();
	} else if (update_mapped() != 0) {
		run_error(request->seq, "memory", nothing);
		return;
	}
	stage_dirty();
	rig_ops.final(stage.context.object, stage.digest.object);

	if (look(request->seq) != 0)
		return;
	line = reply_begin(request->seq, "ok ");
	put_hex_bytes(line, stage.digest.object, stage.digest.length);
	reply_end();
}
