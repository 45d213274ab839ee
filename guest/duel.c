/* SPDX-License-Identifier: MIT */
/*
 * A duel: two cores in one program, timed in turn by the CPU's own time. It is no guest: it has
 * no conversation, says all that it measured, and ends.
 *
 *	duel <rounds> <nanoseconds of a sample>
 *
 * Three sides: before, after, and control, which is before once more at another place. A round
 * is one sample of each, forwards and backwards by turns, so that a slow change of the machine's
 * mood hits all sides alike. What control and before differ by, is what cannot be told apart.
 *
 * Lines: "cpu <what the CPU calls itself>", "clock <nanoseconds of reading the clock>",
 * "digest <side> <hex>", and a line a round: "<kind> <length> <loops>" and the nanoseconds of
 * the three sides; then "end". Kinds: "pair" the rounds that are judged, "speed" a few at each
 * length of the kernel's own benchmark, "hot", "cold" and "flushed" a single block: again, after
 * much other code, and with code that comes from memory.
 */
#include "data.h"
#include "duel_say.h"
#include "ops.h"
#include "port.h"
#include "text.h"

extern const struct rig_ops duel_before;
extern const struct rig_ops duel_after;
extern const struct rig_ops duel_control;

#define SIDES DUEL_SIDES
#define LENGTH 16384
#define BLOCK 128
#define DIGEST DUEL_DIGEST
#define CONTEXT_BYTES 4096
#define MOST_ROUNDS 1001
#define MOST_NS 100000000
#define SPEED_ROUNDS 5
#define FLUSH_ROUNDS 27

static const struct rig_ops *const sides[SIDES] = { &duel_before, &duel_after, &duel_control };

/* lib/crypto/tests/hash-test-template.h of the kernel */
static const size_t lengths[] = { 1,   16,  64,	  127,	128,  200,  256,
				  511, 512, 1024, 3173, 4096, LENGTH };

static uint64_t samples[MOST_ROUNDS][SIDES];
static uint8_t digest[DIGEST];
static struct data message;
static void *context;

/*
 * Other code, between a core's calls: enough to fill the first cache of instructions, a jump a
 * line. After it a core's code is out of there, and not among the decoded instructions or the
 * branches that the CPU remembers.
 */
#define OTHER_LINES "4096"
#if defined(__i386__) || defined(__x86_64__)
#define OTHER_CODE "jmp . + 64\n.skip 62, 0xcc\n"
#elif defined(__aarch64__)
#define OTHER_CODE "b . + 64\n.skip 60\n"
#endif

#if defined(__x86_64__) || defined(__i386__) /* every one since the Pentium 4 */
#define LINE 64
#define FLUSH(line) __asm__ volatile("clflush %0" : : "m"(*(line)))
#endif

#ifdef OTHER_CODE
void duel_other_code(void);
__asm__(".text\n.balign 64\n.type duel_other_code, %function\n.globl duel_other_code\n"
	"duel_other_code:\n.rept " OTHER_LINES "\n" OTHER_CODE ".endr\nret\n"
	".size duel_other_code, . - duel_other_code\n");
#endif

static uint64_t now(void)
{
	uint64_t nanoseconds;

	if (port_clock(&nanoseconds) != 0)
		give_up("clock");
	return nanoseconds;
}

static uint64_t sample(size_t side, size_t length, uint64_t loops)
{
	const struct rig_ops *ops = sides[side];
	uint64_t start = now();

	while (loops-- > 0) {
		ops->init(context, DIGEST, NULL, 0);
		ops->update(context, message.bytes, length);
		ops->final(context, digest);
	}
	return now() - start;
}

/* The best of three: a sample during which the machine did something else tells nothing. */
static uint64_t best(size_t side, size_t length, uint64_t loops)
{
	uint64_t least = sample(side, length, loops);
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t other = sample(side, length, loops);

		if (other < least)
			least = other;
	}
	return least;
}

static uint64_t loops_for(size_t length, uint64_t wanted)
{
	uint64_t loops = 1;

	while (best(0, length, loops) < wanted && loops < (1u << 30))
		loops *= 2;
	return loops;
}

/*
 * One block, from a context that holds it already: a call of final is a call of the core. What
 * is around that call is not what is measured, so it comes after the other work.
 */
static uint64_t one_block(size_t side, size_t length, void (*first)(void))
{
	const struct rig_ops *ops = sides[side];
	uint64_t start;

	if (first != NULL)
		first();
	ops->init(context, DIGEST, NULL, 0);
	ops->update(context, message.bytes, length);
	now();
	start = now();
	ops->final(context, digest);
	return now() - start;
}

static uint64_t one_hot_block(size_t side, size_t length, uint64_t loops)
{
	(void)loops;
	one_block(side, length, NULL);
	one_block(side, length, NULL);
	return one_block(side, length, NULL);
}

#ifdef OTHER_CODE
static uint64_t one_cold_block(size_t side, size_t length, uint64_t loops)
{
	(void)loops;
	return one_block(side, length, duel_other_code);
}
#endif

#ifdef FLUSH
extern const char __executable_start[]; /* both are the linker's */
extern const char etext[];

/* All code of the program leaves all caches: what is called next comes from memory. */
static void flush_code(void)
{
	const char *line;

	for (line = __executable_start; line < etext; line += LINE)
		FLUSH(line);
}

static uint64_t one_flushed_block(size_t side, size_t length, uint64_t loops)
{
	(void)loops;
	return one_block(side, length, flush_code);
}
#endif

typedef uint64_t sampler(size_t side, size_t length, uint64_t loops);

static void play(sampler *take, size_t length, uint64_t loops, size_t rounds)
{
	size_t round;
	size_t i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < SIDES; i++) {
			size_t side = round % 2 == 0 ? i : SIDES - 1 - i;

			samples[round][side] = take(side, length, loops);
		}
	}
}

static void say_clock(void)
{
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 100; i++) {
		uint64_t start = now();
		uint64_t took = now() - start;

		if (took < least)
			least = took;
	}
	say_number("clock", least);
}

static uint64_t argument(const char *text, uint64_t most)
{
	struct slice slice = { text, 0 };
	uint64_t value;

	while (text[slice.length] != '\0')
		slice.length++;
	if (parse_decimal(slice, most, &value) != 0 || value == 0)
		give_up("usage: duel <rounds> <nanoseconds of a sample>");
	return value;
}

static void prepare(void)
{
	static const struct slice rule = { "lcg:1:16384", 11 };
	size_t side;

	context = port_map(CONTEXT_BYTES);
	if (context == NULL || data_load(&message, rule) != DATA_OK)
		give_up("memory");
	for (side = 0; side < SIDES; side++) {
		if (sides[side]->ctx_size > CONTEXT_BYTES)
			give_up("context too large");
		sample(side, LENGTH, 1);
		say_digest(side, digest);
	}
}

int main(int argc, char **argv)
{
	size_t rounds;
	uint64_t wanted;
	uint64_t loops;
	size_t i;

	if (argc != 3)
		give_up("usage: duel <rounds> <nanoseconds of a sample>");
	rounds = (size_t)argument(argv[1], MOST_ROUNDS);
	wanted = argument(argv[2], MOST_NS);
	port_report_traps();
	say_cpu();
	say_clock();
	prepare();

	loops = loops_for(LENGTH, wanted);
	play(sample, LENGTH, loops, rounds);
	say_samples("pair", LENGTH, loops, samples, rounds);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		loops = loops_for(lengths[i], wanted / 4);
		play(sample, lengths[i], loops, SPEED_ROUNDS);
		say_samples("speed", lengths[i], loops, samples, SPEED_ROUNDS);
	}
	play(one_hot_block, BLOCK, 1, rounds);
	say_samples("hot", BLOCK, 1, samples, rounds);
#ifdef OTHER_CODE
	play(one_cold_block, BLOCK, 1, rounds);
	say_samples("cold", BLOCK, 1, samples, rounds);
#endif
#ifdef FLUSH
	rounds = rounds < FLUSH_ROUNDS ? rounds : FLUSH_ROUNDS;
	play(one_flushed_block, BLOCK, 1, rounds);
	say_samples("flushed", BLOCK, 1, samples, rounds);
#endif
	port_write("end\n", 4);
	port_exit(0);
}
