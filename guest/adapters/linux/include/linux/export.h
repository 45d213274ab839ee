/* SPDX-License-Identifier: MIT */
/* Shim of <linux/export.h>: nothing is exported, a symbol is what it is. */
#ifndef RIG_LINUX_EXPORT_H
#define RIG_LINUX_EXPORT_H

#pragma GCC system_header

#include <linux/compiler.h>

/* declares a type, so that the semicolon behind the macro closes something */
#define RIG_NOTHING struct rig_nothing

#define EXPORT_SYMBOL(symbol) RIG_NOTHING
#define EXPORT_SYMBOL_GPL(symbol) RIG_NOTHING
#define EXPORT_SYMBOL_NS(symbol, space) RIG_NOTHING
#define EXPORT_SYMBOL_NS_GPL(symbol, space) RIG_NOTHING
#define EXPORT_SYMBOL_FOR_MODULES(symbol, modules) RIG_NOTHING

#endif
