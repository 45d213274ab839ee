/* SPDX-License-Identifier: MIT */
#include "duel_say.h"

#include "port.h"
#include "text.h"

#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[DUEL_SIDES] = { "before", "after", "control" };

_Noreturn void give_up(const char *why)
{
	char text[80];
	struct line line = { text, 0, sizeof(text) };

	put_text(&line, "failed ");
	put_text(&line, why);
	put_text(&line, "\n");
	port_write(line.text, line.length);
	port_exit(1);
}

void say(const char *kind, const char *text)
{
	char bytes[256];
	struct line line = { bytes, 0, sizeof(bytes) };

	put_text(&line, kind);
	put_text(&line, " ");
	put_text(&line, text);
	put_text(&line, "\n");
	port_write(line.text, line.length);
}

/* What the CPU itself answers, whoever executes this program: an emulator gives itself away. */
void say_cpu(void)
{
	char name[49] = "";
#if defined(__i386__) || defined(__x86_64__)
	unsigned int word[4];
	unsigned int leaf;

	for (leaf = 0; leaf < 3; leaf++) {
		if (!__get_cpuid(0x80000002 + leaf, &word[0], &word[1], &word[2], &word[3]))
			break;
		memcpy(name + 16 * leaf, word, sizeof(word));
	}
#endif
	say("cpu", name);
}

void say_number(const char *kind, uint64_t value)
{
	char text[24] = "";
	struct line line = { text, 0, sizeof(text) - 1 };

	put_decimal(&line, value);
	say(kind, text);
}

void say_digest(size_t side, const uint8_t digest[DUEL_DIGEST])
{
	char text[2 * DUEL_DIGEST + 1] = "";
	struct line line = { text, 0, 2 * DUEL_DIGEST };
	char kind[16];
	struct line head = { kind, 0, sizeof(kind) - 1 };

	put_hex_bytes(&line, digest, DUEL_DIGEST);
	put_text(&head, "digest ");
	put_text(&head, names[side]);
	kind[head.length] = '\0';
	say(kind, text);
}

void say_samples(const char *kind, size_t length, uint64_t loops,
		 uint64_t (*samples)[DUEL_SIDES], size_t rounds)
{
	size_t round;
	size_t side;

	for (round = 0; round < rounds; round++) {
		char bytes[160];
		struct line line = { bytes, 0, sizeof(bytes) };

		put_text(&line, kind);
		put_text(&line, " ");
		put_decimal(&line, length);
		put_text(&line, " ");
		put_decimal(&line, loops);
		for (side = 0; side < DUEL_SIDES; side++) {
			put_text(&line, " ");
			put_decimal(&line, samples[round][side]);
		}
		put_text(&line, "\n");
		port_write(line.text, line.length);
	}
}
