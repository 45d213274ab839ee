/* SPDX-License-Identifier: MIT */
#include "blake2b.h"
#include "ops.h"
#include "run.h"
#include "stage.h"

#define COMPRESS_NEEDS (ARG_BIT(ARG_H) | ARG_BIT(ARG_IN))
#define COMPRESS_ARGS \
	(STAGE_ARGS | COMPRESS_NEEDS | ARG_BIT(ARG_T) | ARG_BIT(ARG_F) | ARG_BIT(ARG_INC))

#define STATE_BYTES 64

static const struct slice nothing;

static int prepare_compress(const struct request *request)
{
	struct slice seq = request->seq;
	size_t length;

	if (stage_args(request, COMPRESS_ARGS, COMPRESS_NEEDS) != 0 ||
	    stage_load(request, ARG_IN, &stage.message_data) != 0 ||
	    stage_load(request, ARG_H, &stage.state_data) != 0)
		return -1;
	length = stage.message_data.length;
	if (stage.state_data.length != STATE_BYTES || length == 0 ||
	    length % BLAKE2B_BLOCK_BYTES != 0) {
		stage_usage(seq, "h takes 64 bytes, in whole blocks", nothing);
		return -1;
	}
	if (length > BLAKE2B_BLOCK_BYTES && stage.args.inc != BLAKE2B_BLOCK_BYTES) {
		stage_usage(seq, "several blocks only with inc=128", nothing);
		return -1;
	}
	if (!(rig_ops.features & RIG_HAS_COMPRESS)) {
		run_error(seq, "unsupported compress", nothing);
		return -1;
	}
	if (stage_context() != 0 ||
	    stage_place(&stage.message, &stage.message_data, stage.args.at) != 0) {
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
		h[i / 8] |= (uint64_t)stage.state_data.bytes[i] << (8 * (i % 8));
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
	stage_dirty();
	result = rig_ops.compress(stage.context.object, h, stage.args.t, stage.args.f,
				  stage.message.object,
				  stage.message.length / BLAKE2B_BLOCK_BYTES, stage.args.inc);
	if (result == RIG_UNREACHABLE) {
		run_error(seq, "unsupported state", nothing);
		return;
	}
	if (stage_look_into(seq, &stage.message, &stage.message_data) != 0 ||
	    stage_look_around(seq, &stage.context) != 0 ||
	    stage_look_around(seq, &stage.message) != 0)
		return;
	if (result == RIG_CLOBBERED) {
		stage_clobbered(seq, "", "context");
		return;
	}
	line = reply_begin(seq, "ok ");
	put_hex_words(line, h, 8);
	put_text(line, ",");
	put_hex_words(line, stage.args.t, 2);
	put_text(line, ",");
	put_hex_words(line, stage.args.f, 2);
	reply_end();
}
