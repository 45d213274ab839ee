"""The kernel's own files, fetched from Debian for the test and not kept.

Every size and frame equals a compile by hand with the flags that are written out here, apart
from images/profiles; where the compilers are the ones that were measured, the figures are too.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest
from elftools.elf.elffile import ELFFile

from rig import catalog, sources
from rig.engines import box
from rig.lab import Lab
from rig.model import Cell, Core, Job, Limits, Setup

pytestmark = pytest.mark.skipif(
    os.environ.get("RIG_FULL") != "1",
    reason="long, and fetches 320 MB from Debian: RIG_FULL=1, or make test-full",
)

CATALOG = catalog.load()
SETUPS = {setup.id: setup for setup in CATALOG.setups()}
LIMITS = Limits(memory=2 << 30, cpus=64, pids=256, disk=256 << 20)

ALL = (
    "-O2 -std=gnu11 -fms-extensions -fshort-wchar -funsigned-char -fno-common -fno-PIE"
    " -fno-pic -fno-strict-aliasing -fno-delete-null-pointer-checks -fno-strict-overflow"
    " -fno-stack-check -fstrict-flex-arrays=3 -fstack-protector-strong"
    " -ftrivial-auto-var-init=zero -fno-omit-frame-pointer"
)
GCC = "-fno-allow-store-data-races -fno-stack-clash-protection -fconserve-stack"
X86 = (
    "-mno-sse -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -fno-jump-tables"
    " -fno-optimize-sibling-calls -fno-asynchronous-unwind-tables"
)
I386 = "-m32 -march=i686 -msoft-float -mregparm=3 -freg-struct-return -fcf-protection=none"
ARM = "-marm -march=armv7-a -mabi=aapcs-linux -mfpu=vfp -mfloat-abi=soft -funwind-tables"
X64 = (
    "-m64 -march=x86-64 -mtune=generic -mno-80387 -mno-red-zone -mcmodel=kernel"
    " -mskip-rax-setup -falign-loops=1 -fcf-protection=branch -mfunction-return=thunk-extern"
    " -fpatchable-function-entry=16,16"
)
BY_HAND = {
    "i386/gcc": f"i686-linux-gnu-gcc {ALL} {GCC} {X86} {I386} -mpreferred-stack-boundary=2",
    "i386/clang": f"clang --target=i686-linux-gnu {ALL} {X86} {I386} -mstack-alignment=4",
    "arm32/gcc": (
        f"arm-linux-gnueabihf-gcc {ALL} {GCC} {ARM} -mapcs -mno-sched-prolog -fno-ipa-sra"
    ),
    "arm32/clang": f"clang --target=arm-linux-gnueabi {ALL} {ARM}",
    "x86_64/gcc": (
        f"x86_64-linux-gnu-gcc {ALL} {GCC} {X86} {X64} -mpreferred-stack-boundary=3"
        " -falign-jumps=1 -fmin-function-alignment=16"
    ),
    "x86_64/clang": (
        f"clang --target=x86_64-linux-gnu {ALL} {X86} {X64} -mstack-alignment=8"
        " -falign-functions=16"
    ),
}
"""What kbuild passes for each, without its include paths."""

ROLLED = {
    ("i386", "14.2.0"): 3627,
    ("i386", "19.1.7"): 3240,
    ("arm32", "14.2.0"): 2892,
    ("arm32", "19.1.7"): 3344,
    ("x86_64", "14.2.0"): 1594,
    ("x86_64", "19.1.7"): 1669,
}
"""The patch's rolled function, by target and compiler version."""


def sizes(content: bytes) -> dict[str, int]:
    """st_size of the functions with ``compress`` in their name."""
    table = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab")
    return {
        symbol.name: symbol["st_size"]
        for symbol in table.iter_symbols()
        if symbol["st_info"]["type"] == "STT_FUNC" and "compress" in symbol.name
    }


def frames(usage: bytes) -> dict[str, int]:
    """Frames of the same functions, from a -fstack-usage file."""
    rows = (line.split("\t") for line in usage.decode().splitlines())
    named = {row[0].rpartition(":")[2]: int(row[1]) for row in rows}
    return {name: frame for name, frame in named.items() if "compress" in name}


def compile_by_hand(
    lab: Lab, setup: Setup, core: Core
) -> tuple[dict[str, int], dict[str, int]]:
    """Sizes and frames of a core's own unit, compiled with the flags above."""
    command = (
        *BY_HAND[f"{setup.target.name}/{setup.toolchain.label}"].split(),
        *(f"-D{define}" for define in core.defines),
        *("-Iinclude", "-I../../shared/adapters/linux/include", "-fstack-usage"),
        *("-c", core.unit, "-o", "hand.o"),
    )
    job = Job("hand", command, core.files, ("hand.o", "hand.su"))
    shared = CATALOG.guest_files
    done = next(iter(box.run(lab.engine, lab.ready(setup), [[job]], shared, LIMITS, 1)))
    assert done.code == 0, done.stderr.decode()
    return sizes(done.outputs["hand.o"]), frames(done.outputs["hand.su"])


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize(("version", "side"), [("7.2", 32), ("7.2", 64), ("6.12", None)])
def test_figures_equal_a_compile_by_hand(lab, trees, setup, version, side):
    core = sources.load(f"linux:{trees / version}", CATALOG, side=side)
    built = lab.built(Cell(setup, core))
    by_rig = sizes(built.object), frames(built.stack_usage)
    assert core.symbol in by_rig[0]
    assert by_rig == compile_by_hand(lab, setup, core)


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_the_rolled_side_has_the_size_of_the_patch(lab, trees, setup):
    version = lab.facts(setup).version
    wanted = ROLLED.get((setup.target.name, version))
    if wanted is None:
        pytest.skip(f"{setup.id} is {version}; figures were measured with gcc 14.2, clang 19.1")
    core = sources.load(f"linux:{trees / '7.2'}", CATALOG, side=32)
    found = sizes(lab.built(Cell(setup, core)).object)[core.symbol]
    assert found == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_the_side_follows_the_word_size(lab, trees, setup):
    plain = sources.load(f"linux:{trees / '7.2'}", CATALOG)
    asked = sources.load(f"linux:{trees / '7.2'}", CATALOG, side=setup.target.bits)
    other = sources.load(f"linux:{trees / '7.2'}", CATALOG, side=96 - setup.target.bits)
    found = [sizes(lab.built(Cell(setup, core)).object) for core in (plain, asked, other)]
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize("version", ["7.2", "6.12"])
def test_every_check_passes(trees, version):
    """The whole of ``rig check``, under QEMU, on the unmodified files."""
    command = ["check", f"linux:{trees / version}"]
    done = subprocess.run(
        [sys.executable, "-c", "from rig.cli import main; main()", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(SETUPS)} cells: {len(SETUPS)} PASS" in done.stdout
