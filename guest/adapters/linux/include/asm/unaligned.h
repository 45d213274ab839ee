/* SPDX-License-Identifier: MIT */
/* Shim of <asm/unaligned.h>, where <linux/unaligned.h> was before 6.12. */
#include <linux/unaligned.h>
