/* SPDX-License-Identifier: MIT */
/* Shim of <linux/errno.h>: the codes that a hash returns. */
#ifndef RIG_LINUX_ERRNO_H
#define RIG_LINUX_ERRNO_H

#pragma GCC system_header

#define ENOMEM 12
#define EINVAL 22
#define ENOKEY 126

#endif
