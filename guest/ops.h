/* SPDX-License-Identifier: MIT */
/*
 * What an adapter offers to the driver. The adapter is compiled with the calling convention of
 * the profile (regparm on i386, say) and calls the core; the driver is compiled with the plain
 * convention of the target and calls the adapter, through functions marked RIG_PLAIN.
 */
#ifndef RIG_OPS_H
#define RIG_OPS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__i386__)
#define RIG_PLAIN __attribute__((regparm(0)))
#else
#define RIG_PLAIN
#endif

#define RIG_HAS_COMPRESS 1u /* compress: some raw states can be reached */
#define RIG_HAS_FLAGS 2u    /* compress: any f and any inc */
#define RIG_HAS_COUNTER 4u  /* preset works */

#define RIG_UNREACHABLE (-1)
#define RIG_CLOBBERED (-2)

struct rig_ops {
	const char *adapter; /* its folder's name */
	unsigned int features;
	size_t ctx_size; /* bytes of context that init, update and final need */
	size_t ctx_align;

	RIG_PLAIN void (*init)(void *ctx, size_t outlen, const void *key, size_t keylen);
	RIG_PLAIN void (*update)(void *ctx, const void *in, size_t inlen);
	RIG_PLAIN void (*final)(void *ctx, void *out);

	/* sets the byte counter of a context that init has made; t[0] is the low word */
	RIG_PLAIN void (*preset)(void *ctx, const uint64_t t[2]);

	/*
	 * h, t and f go into the context's memory, the core compresses, and they come back.
	 * Returns 0; RIG_UNREACHABLE when this interface cannot reach that state; RIG_CLOBBERED
	 * when the core changed the context beyond h, t and f.
	 */
	RIG_PLAIN int (*compress)(void *ctx, uint64_t h[8], uint64_t t[2], uint64_t f[2],
				  const void *blocks, size_t nblocks, uint32_t inc);
};

extern const struct rig_ops rig_ops;

/*
 * For adapters, instead of memcmp: clang makes a call of bcmp of it, whose arguments some versions
 * put on the stack whatever -mregparm says.
 */
static inline int op_differ(const uint8_t *one, const uint8_t *other, size_t count)
{
	while (count-- > 0) {
		if (one[count] != other[count])
			return 1;
	}
	return 0;
}

#endif
