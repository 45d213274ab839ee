"""What compilers and linkers are called, and what their complaints mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rig.model import Setup, Target, ToolchainFacts

_ERROR = re.compile(
    r"(fatal )?error:|undefined reference|undefined symbol|multiple definition|duplicate symbol"
    r"|cannot find|No such file|not found"
)

_HINTS: Sequence[tuple[str, str]] = (
    (
        r"undefined (reference to|symbol:) [`'\"]?(__u?(div|mod)(di|ti)3|__aeabi_u?ldivmod)",
        "a 64-bit division needs a libgcc helper on 32-bit targets; link libgcc, or divide by"
        " a constant or a 32-bit value, as kernel code must",
    ),
    (
        r"undefined (reference to|symbol:) [`'\"]?blake2b_(init|update|final)",
        "the core should define this, or leave init, update and final to the guest (adapter"
        " `compress`)",
    ),
    (
        r"undefined (reference to|symbol:) [`'\"]?blake2b_compress",
        "the unit defines no function of that name with external linkage; guest/blake2b.h is"
        " the contract",
    ),
    (
        r"multiple definition of|duplicate symbol",
        "the core defines a name twice, or one that the guest defines; it should export what"
        " its contract names and nothing else",
    ),
    (
        r"cannot find (crt1|crti|-lc|-lgcc)|unable to find library",
        "the linker does not find the target's C library; the command names target and linker",
    ),
    (
        r"uses VFP register arguments|incompatible target|file in wrong format",
        "an object for another ABI; compare the flags of core and driver",
    ),
    (
        r"file format not recognized|plugin needed to handle lto",
        "the object holds no machine code (LTO); compile the core's unit without -flto",
    ),
    (r"No space left on device", "the disk is full; free some space"),
    (
        r"rig: this box ran out of memory|Killed signal|internal compiler error: Killed",
        "the compiler was killed for memory",
    ),
)


def compiler_argv(target: Target, facts: ToolchainFacts) -> tuple[str, ...]:
    """How a compiler is called: gcc by triple, clang with --target."""
    if facts.toolchain.family == "clang":
        return (facts.compiler, f"--target={target.clang_target}")
    return (facts.compiler,)


OPTIONAL = "?"
"""Marks a flag that is passed only where the compiler knows it."""


def passed(flags: Sequence[str], facts: ToolchainFacts) -> tuple[str, ...]:
    """Flags as given to this compiler: without the optional ones that it does not know."""
    plain = (flag.removeprefix(OPTIONAL) for flag in flags)
    return tuple(flag for flag in plain if flag not in facts.unknown_flags)


def core_flags(setup: Setup, facts: ToolchainFacts) -> tuple[str, ...]:
    """All that the profile passes to a core's unit."""
    family = setup.toolchain.family
    parts = (setup.flags.core, setup.flags.abi, setup.flags.runnable)
    return passed([flag for part in parts for flag in part.of(family)], facts)


def first_error(output: str) -> str:
    """The first line that says what is wrong; the first line of all where none does."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    wrong = (line for line in lines if _ERROR.search(line))
    return next(wrong, lines[0] if lines else "the tool failed and printed nothing")


def hint_for(output: str) -> str:
    """What to do about it, where the text is of a known kind; else empty."""
    return next((hint for pattern, hint in _HINTS if re.search(pattern, output)), "")
