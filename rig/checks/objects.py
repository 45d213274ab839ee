"""A look at the object file: what no question to a running core can show."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import ARMAttributesSection, SymbolTableSection

from rig.checks import Check, Subject
from rig.model import ByteOrder, Setup
from rig.verdicts import Finding, Verdict

HELPERS = re.compile(
    r"""
    mem(cpy|move|set|cmp)$ | rig_core_\w+$
    | __stack_chk_(fail|fail_local|guard)$                  # -fstack-protector
    | __x86_(return_thunk|indirect_thunk_\w+)$ | __fentry__$
    | __u?(div|mod|divmod)[sd]i[34]$                        # libgcc: division
    | __(ashl|ashr|lshr|mul|neg|bswap|clz|ctz|popcount|ffs|parity|u?cmp)[sd]i[234]?$
    | __aeabi_(lmul|llsl|llsr|lasr|u?lcmp|u?l?divmod|u?idiv(mod)?|mem\w+|u(read|write)[48])$
    | __aeabi_unwind_cpp_pr[012]$
    | _(save|rest)gpr_?\w+$                                 # powerpc, -Os
    | _GLOBAL_OFFSET_TABLE_$ | _gp_disp$ | __gnu_local_gp$
    """,
    re.VERBOSE,
)
"""What a core may take from outside: the guest's mem*, the compiler's own helpers."""

_PATCHABLE = (
    "__patchable_function_entries"  # addresses for the kernel's tracer, marked writable
)
_BITCODE = b"BC\xc0\xde"
_MIPS_O32 = 0x1000
_ARM_EABI5 = 0x05000000


def _run(subject: Subject) -> Iterator[Finding]:
    if subject.object_.startswith(_BITCODE):
        yield Finding("object", Verdict.NOT_COVERED, "link-time optimised: no machine code yet")
        return
    try:
        elf = ELFFile(io.BytesIO(subject.object_))
        if _only_lto(elf):
            yield Finding("object", Verdict.NOT_COVERED, "link-time optimised: no code to see")
            return
        yield _look(elf, subject)
    except (ELFError, UnicodeDecodeError, ValueError, KeyError) as error:
        yield Finding("object", Verdict.TOOLCHAIN_FAULT, f"not a readable ELF object: {error}")


def _look(elf: Any, subject: Subject) -> Finding:
    strange = list(wrong_abi(elf, subject.setup))
    if strange:
        return Finding("object", Verdict.TOOLCHAIN_FAULT, "; ".join(strange), tried=1, failed=1)
    wrong = [*writable(elf), *foreign(elf, subject.externals)]
    note = "asks for an executable stack" if executable_stack(elf) else ""
    if not wrong:
        return Finding("object", Verdict.PASS, note, tried=1)
    return Finding(
        "object",
        Verdict.MISMATCH,
        "the object breaks the contract of a core",
        expected="no writable data, no symbols from outside but the compiler's helpers",
        got="; ".join(wrong),
        tried=1,
        failed=1,
    )


def _only_lto(elf: Any) -> bool:
    return any(
        section.name.startswith(".gnu.lto_") for section in elf.iter_sections()
    ) and not any(
        section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and section["sh_size"]
        for section in elf.iter_sections()
    )


# --------------------------------------------------------------------------- the parts


def writable(elf: Any) -> Iterator[str]:
    """Sections and common symbols that a core could keep state in, with what lies there."""
    names: dict[int, list[str]] = {}
    for symbol in _symbols(elf):
        place = symbol["st_shndx"]
        if place == "SHN_COMMON":
            yield f"common {symbol.name} ({symbol['st_size']} bytes)"
        elif isinstance(place, int) and symbol["st_info"]["type"] in ("STT_OBJECT", "STT_TLS"):
            names.setdefault(place, []).append(symbol.name)
    needed = SH_FLAGS.SHF_WRITE | SH_FLAGS.SHF_ALLOC
    for index, section in enumerate(elf.iter_sections()):
        allowed = section.name.startswith((_PATCHABLE, ".data.rel.ro"))
        if section["sh_flags"] & needed == needed and section["sh_size"] and not allowed:
            held = ", ".join(names.get(index, [])) or "unnamed data"
            yield f"{section.name}: {held} ({section['sh_size']} bytes)"


def foreign(elf: Any, externals: frozenset[str]) -> Iterator[str]:
    """Undefined symbols that are neither helpers nor the adapter's."""
    for symbol in _symbols(elf):
        name = symbol.name
        if symbol["st_shndx"] != "SHN_UNDEF" or not name or name in externals:
            continue
        if not HELPERS.match(name):
            yield f"undefined {name}"


def wrong_abi(elf: Any, setup: Setup) -> Iterator[str]:
    """What the header and attributes say against what target and profile ask for."""
    target = setup.target
    header = elf.header
    order = ByteOrder.LITTLE if elf.little_endian else ByteOrder.BIG
    for name, wanted, found in (
        ("ELF class", target.bits, elf.elfclass),
        ("byte order", target.byte_order.value, order.value),
        ("machine", target.machine, header["e_machine"]),
        ("type", "ET_REL", header["e_type"]),
    ):
        if wanted != found:
            yield f"{name}: wanted {wanted}, found {found}"
    if target.machine == "EM_ARM" and header["e_machine"] == "EM_ARM":
        yield from _wrong_arm(elf, setup)
    if target.machine == "EM_MIPS" and target.bits == 32 and not header["e_flags"] & _MIPS_O32:
        yield f"ABI: wanted o32, found flags {header['e_flags']:#x}"


def _wrong_arm(elf: Any, setup: Setup) -> Iterator[str]:
    """EABI 5; ARM or Thumb state and float arguments as the flags say."""
    if elf.header["e_flags"] & 0xFF000000 != _ARM_EABI5:
        yield f"ABI: wanted EABI version 5, found flags {elf.header['e_flags']:#x}"
    family = setup.toolchain.family
    total = setup.flags
    flags = [*total.core.of(family), *total.abi.of(family), *total.runnable.of(family)]
    state = [flag for flag in flags if flag in ("-marm", "-mthumb")]
    thumb = {bool(symbol["st_value"] & 1) for symbol in _symbols(elf) if _is_function(symbol)}
    if state and (state[-1] == "-mthumb") not in thumb and thumb:
        yield f"instruction set: {state[-1]} was asked for"
    floats = [flag for flag in flags if flag.startswith("-mfloat-abi=")]
    if floats and floats[-1] != "-mfloat-abi=hard" and _float_registers(elf):
        yield f"ABI: {floats[-1]} was asked for, arguments go in float registers"


def _float_registers(elf: Any) -> bool:
    for section in elf.iter_sections():
        if isinstance(section, ARMAttributesSection):
            for part in section.iter_subsections():
                for scope in part.iter_subsubsections():
                    for attribute in scope.iter_attributes("TAG_ABI_VFP_ARGS"):
                        return bool(attribute.value == 1)
    return False


def executable_stack(elf: Any) -> bool:
    """The linker's warning about ``.note.GNU-stack``: said once, no failure."""
    note = elf.get_section_by_name(".note.GNU-stack")
    if note is not None:
        return bool(note["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)
    return bool(elf.header["e_machine"] in ("EM_386", "EM_X86_64"))


def _is_function(symbol: Any) -> bool:
    return bool(symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF")


def _symbols(elf: Any) -> Iterator[Any]:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            yield from section.iter_symbols()


CHECK = Check(
    "object",
    "state kept between calls, code from outside, an object of another ABI than the profile's",
    5,
    _run,
)
