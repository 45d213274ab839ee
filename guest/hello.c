/* SPDX-License-Identifier: MIT */
/* Who answers: from the compiler's own macros and a look at memory, not from what was asked for. */
#include "hello.h"

#include "ops.h"
#include "port.h"
#include "who.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDERED(little, big) big
#else
#define ORDERED(little, big) little
#endif

#if defined(__i386__)
#define TARGET "i386"
#elif defined(__x86_64__)
#define TARGET "x86_64"
#elif defined(__arm__)
#define TARGET ORDERED("arm32", "armeb32")
#elif defined(__aarch64__)
#define TARGET ORDERED("aarch64", "aarch64_be")
#elif defined(__mips64)
#define TARGET ORDERED("mips64el", "mips64")
#elif defined(__mips__)
#define TARGET ORDERED("mipsel", "mips")
#elif defined(__powerpc64__)
#define TARGET ORDERED("powerpc64le", "powerpc64")
#elif defined(__powerpc__)
#define TARGET "powerpc"
#elif defined(__riscv)
#define TARGET (sizeof(void *) == 8 ? "riscv64" : "riscv32")
#elif defined(__s390x__)
#define TARGET "s390x"
#else
#define TARGET "unknown"
#endif

static int is_little_endian(void)
{
	const volatile uint16_t one = 1;

	return *(const volatile unsigned char *)&one == 1;
}

static void put_feature(struct line *line, const char *name, int there, const char **separator)
{
	if (!there)
		return;
	put_text(line, *separator);
	put_text(line, name);
	*separator = ",";
}

static void put_features(struct line *line, int guarded)
{
	const char *separator = "";
	uint64_t now;

	put_text(line, " features=");
	put_feature(line, "cork", 1, &separator);
	put_feature(line, "compress", rig_ops.features & RIG_HAS_COMPRESS, &separator);
	put_feature(line, "flags", rig_ops.features & RIG_HAS_FLAGS, &separator);
	put_feature(line, "counter", rig_ops.features & RIG_HAS_COUNTER, &separator);
	put_feature(line, "guard", guarded, &separator);
	put_feature(line, "time", port_clock(&now) == 0, &separator);
}

void put_hello(struct line *line, int guarded)
{
	put_text(line, " rig=1 target=");
	put_text(line, TARGET);
	put_text(line, " bits=");
	put_decimal(line, sizeof(void *) * 8);
	put_text(line, is_little_endian() ? " order=little" : " order=big");
	put_text(line, (char)-1 < 0 ? " char=signed" : " char=unsigned");
	put_text(line, " core=");
	put_text(line, rig_who_core);
	put_text(line, " adapter=");
	put_text(line, rig_ops.adapter);
	put_text(line, " build=");
	put_text(line, rig_who_build);
	put_text(line, " cc=");
	put_text(line, rig_who_cc);
	put_text(line, " page=");
	put_decimal(line, port_page_size());
	put_features(line, guarded);
}
