"""What a failed compile of kernel code lacks in the shim, and how to add it."""

from __future__ import annotations

import re

SHIM = "guest/adapters/linux/include"

_HEADER = re.compile(
    r"fatal error: '?((?:linux|asm|asm-generic|crypto|uapi|vdso|kunit)/[\w./-]+\.h)'?"
    r"(?:: No such file| file not found)"
)
_OPEN, _CLOSE = "['`\u2018]", "['\u2019]"  # gcc quotes by locale
_FUNCTION = re.compile(
    rf"implicit declaration of function {_OPEN}(\w+){_CLOSE}"
    r"|call to undeclared (?:library )?function '(\w+)'"
)
_TYPE = re.compile(rf"unknown type name {_OPEN}(\w+){_CLOSE}")
_NAME = re.compile(rf"{_OPEN}(\w+){_CLOSE} undeclared|use of undeclared identifier '(\w+)'")
_LINK = re.compile(rf"undefined reference to {_OPEN}(\w+){_CLOSE}|undefined symbol: (\w+)")
# a macro that stands alone at file scope, such as MODULE_X("..."), is no declaration to C
_STATEMENT = re.compile(
    r"(?:type defaults to .int. in declaration of|data definition has no type|"
    r"type specifier missing|expected declaration specifiers|expected parameter declarator|"
    r"expected .+ before)[^\n]*\n(?:[^\n]*\n)?? *\d+ \| *([A-Za-z_]\w*)\s*\("
)

# an attribute between type and name: "static void __cold f(void)"
_ATTRIBUTE = re.compile(
    r"(?:expected .+ before|variable has incomplete type|after top level declarator)[^\n]*\n"
    r" *\d+ \|[^\n(]*?\b(\w+)\s+\w+\s*\("
)
_C_WORDS = {"void", "int", "char", "long", "short", "unsigned", "signed", "static", "inline"}


def explain_missing(output: str) -> str:
    """A hint that names the header, macro, type or function the shim lacks; empty for none.

    output: what gcc, clang or a linker printed for a core with a linux adapter.
    """
    if found := _HEADER.search(output):
        return (
            f"the shim lacks <{found[1]}>: add {SHIM}/{found[1]}; an empty file may do, and the"
            " next run names what it must define"
        )
    if found := _STATEMENT.search(output):
        return f"the shim lacks the macro {found[1]}(): define it in {_place(found[1])}"
    if (found := _ATTRIBUTE.search(output)) and found[1] not in _C_WORDS:
        return f"the shim lacks the attribute {found[1]}: define it in {SHIM}/linux/compiler.h"
    for pattern, kind in (
        (_TYPE, "type"),
        (_FUNCTION, "function or macro"),
        (_NAME, "macro or constant"),
    ):
        if found := pattern.search(output):
            name = next(group for group in found.groups() if group)
            return f"the shim lacks the {kind} {name}: define it in {_place(name)}"
    if found := _LINK.search(output):
        name = found[1] or found[2]
        return (
            f"nothing defines {name}(): define it in the adapter's adapter.c, weak, or as an"
            f" inline function in {SHIM}"
        )
    return ""


def _place(name: str) -> str:
    """The shim header in which such a name belongs."""
    if name.startswith(("MODULE_", "EXPORT_", "THIS_MODULE")):
        return f"{SHIM}/linux/module.h"
    if "le64" in name or "le32" in name or "be64" in name:
        return f"{SHIM}/asm/byteorder.h"
    return f"{SHIM}/linux/kernel.h, or in the header of the shim that the kernel has it in"
