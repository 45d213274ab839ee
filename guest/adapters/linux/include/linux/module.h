/* SPDX-License-Identifier: MIT */
/* Shim of <linux/module.h>: what a module says of itself is dropped. */
#ifndef RIG_LINUX_MODULE_H
#define RIG_LINUX_MODULE_H

#pragma GCC system_header

#include <linux/export.h>
#include <linux/init.h>

struct module;
#define THIS_MODULE ((struct module *)0)

#define MODULE_LICENSE(text) RIG_NOTHING
#define MODULE_AUTHOR(text) RIG_NOTHING
#define MODULE_DESCRIPTION(text) RIG_NOTHING
#define MODULE_VERSION(text) RIG_NOTHING
#define MODULE_ALIAS(text) RIG_NOTHING
#define MODULE_ALIAS_CRYPTO(text) RIG_NOTHING
#define MODULE_IMPORT_NS(text) RIG_NOTHING
#define MODULE_SOFTDEP(text) RIG_NOTHING

#endif
