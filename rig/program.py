"""What a program is, by its ELF header: never by what it was called or built as."""

from __future__ import annotations

import io
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment

from rig.errors import GuestRefused
from rig.model import ByteOrder, Target


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """The header's own words.

    bits: of the ELF class, 32 or 64. machine: e_machine as readelf spells it (``EM_ARM``).
    type: e_type (``ET_EXEC``). interpreter: of a dynamic program, empty for a static one.
    dynamic: has a dynamic section, as a static PIE has too.
    """

    bits: int
    byte_order: ByteOrder
    machine: str
    type: str
    interpreter: str
    dynamic: bool

    @property
    def kind(self) -> str:
        """``static``, ``static PIE``, ``PIE``, ``dynamic``; else the type."""
        if self.type == "ET_EXEC":
            return "dynamic" if self.dynamic or self.interpreter else "static"
        if self.type == "ET_DYN":
            return "PIE" if self.interpreter else "static PIE"
        return self.type


def identify(data: bytes) -> ElfFacts:
    """Reads the header; raises GuestRefused for what is not a readable ELF file."""
    try:
        return _read(ELFFile(io.BytesIO(data)))
    except Exception as error:  # a damaged file can make the parser raise anything
        raise GuestRefused(
            f"refused: the program is not a readable ELF file ({type(error).__name__})"
        ) from error


def _read(elf: ELFFile) -> ElfFacts:
    interpreter, dynamic = "", False
    for segment in elf.iter_segments():
        if isinstance(segment, InterpSegment):
            interpreter = segment.get_interp_name()
        dynamic = dynamic or segment["p_type"] == "PT_DYNAMIC"
    return ElfFacts(
        bits=elf.elfclass,
        byte_order=ByteOrder.LITTLE if elf.little_endian else ByteOrder.BIG,
        machine=str(elf["e_machine"]),
        type=str(elf["e_type"]),
        interpreter=interpreter,
        dynamic=dynamic,
    )


def require(facts: ElfFacts, target: Target) -> None:
    """Raises GuestRefused unless ``facts`` are a static, non-PIE program of ``target``."""
    wanted = f"{target.machine}, {target.bits} bit, {target.byte_order} endian, static"
    found = f"{facts.machine}, {facts.bits} bit, {facts.byte_order} endian, {facts.kind}"
    if found != wanted:
        raise GuestRefused(
            f"refused: wanted a program of {target.name} ({wanted}), found {found}",
            "Programs must be linked with -static and -no-pie by the target's own compiler.",
        )
