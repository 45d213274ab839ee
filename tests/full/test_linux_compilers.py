"""Many compilers on the kernel's own file, and a real kbuild beside them.

Figures are asserted only where the compilers are the ones that were measured; what was compared
is printed (``-rP`` shows it).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rig import catalog, sources
from rig.cli.ownbuild import with_flags_from
from rig.errors import ImageFault
from rig.judging import measure
from rig.model import Cell, Setup, Toolchain
from rig.report.frames import FRAME_WARN

CATALOG = catalog.load()
GCC_15 = Toolchain("gcc", "15", "sid", stale_index=True)
CLANG_22 = Toolchain("clang", "22")

SIZES = {
    ("i386", "gcc", "15.3"): (25155, 3628),
    ("i386", "clang", "22.1"): (18510, 3240),
    ("arm32", "gcc", "15.3"): (19968, 2864),
    ("arm32", "clang", "22.1"): (21280, 3344),
    ("x86_64", "gcc", "15.3"): (7006, 1562),
    ("x86_64", "clang", "22.1"): (6824, 1669),
}
"""compress in linux-source-7.2, by target, family and version: the side of CONFIG_64BIT, and
the other one.
"""

ROLLED_FRAMES = {
    ("i386", "gcc", "15.3"): 504,
    ("i386", "clang", "22.1"): 396,
    ("arm32", "gcc", "15.3"): 520,
    ("arm32", "clang", "22.1"): 496,
    ("x86_64", "gcc", "15.3"): 448,
    ("x86_64", "clang", "22.1"): 392,
}


def setup_of(target: str, toolchain: Toolchain) -> Setup:
    return CATALOG.setups([target], None, [toolchain])[0]


def figures(lab, setup: Setup, tree: Path, side: int | None) -> dict[str, float | None]:
    """Size and frame by name; skips where the release cannot be had here."""
    try:
        cell = Cell(setup, sources.load(f"linux:{tree}", CATALOG, side=side))
        return {item.name: item.value for item in measure(cell, lab.built(cell), lab)}
    except ImageFault as fault:
        pytest.skip(f"no image of {setup.id}: {fault}; .ci/base_image makes its base")


@pytest.mark.parametrize("toolchain", [GCC_15, CLANG_22], ids=lambda one: one.label)
@pytest.mark.parametrize("target", ["i386", "arm32", "x86_64"])
def test_figures_are_those_that_were_measured(lab, trees, target, toolchain):
    setup = setup_of(target, toolchain)
    both = [figures(lab, setup, trees / "7.2", side) for side in (64, 32)]
    version = ".".join(lab.facts(setup).version.split(".")[:2])
    key = (target, toolchain.family, version)
    found = tuple(one["size"] for one in both)
    print(f"{setup.id} {version}: {found}, frames {[one['frame'] for one in both]}")
    if key not in SIZES:
        pytest.skip(f"{setup.id} is {version}; gcc 15.3 and clang 22.1 were measured")
    assert found == SIZES[key]
    assert both[1]["frame"] == ROLLED_FRAMES[key]


@pytest.mark.parametrize(("target", "rolled"), [("i386", 544), ("arm32", 520)])
def test_gcc_12_spills_the_unrolled_rounds_and_gcc_14_does_not(lab, trees, target, rolled):
    """The story of gcc bug 105930: what rolling the loop up wins depends on the compiler."""
    frames = {
        (version, side): figures(
            lab, setup_of(target, Toolchain("gcc", version)), trees / "7.2", side
        )["frame"]
        for version in ("12", "")
        for side in (64, 32)
    }
    print(f"{target}: {frames}")
    assert frames["12", 32] == rolled
    assert frames["12", 64] > frames["", 64]
    assert frames["12", 64] > frames["12", 32]
    assert frames["", 64] < frames["", 32] < FRAME_WARN["32"]
    assert (frames["12", 64] > FRAME_WARN["32"]) is (target == "i386")


# ------------------------------------------------------------------------ a real kbuild

KBUILD = """
set -e
exec 3>&1 >&2
echo 'deb http://deb.debian.org/debian trixie-backports main' >>/etc/apt/sources.list
apt-get -q update
DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends xz-utils make flex \\
    bison bc libelf-dev libssl-dev python3 gcc libc6-dev gcc-i686-linux-gnu
cd /tmp
apt-get -q download linux-source-7.2
mkdir tree
dpkg-deb --fsys-tarfile linux-source-7.2*.deb | tar -xO --wildcards '*.tar.xz' |
    xz -dc | tar -x -C tree --strip-components=1
cd tree
export ARCH=i386 CROSS_COMPILE=i686-linux-gnu-
make i386_defconfig
./scripts/config -e BTRFS_FS
make olddefconfig
make lib/crypto/blake2b.o
tar -cz lib/crypto/blake2b.o lib/crypto/.blake2b.o.cmd lib/crypto/blake2b.c \\
    lib/crypto/Makefile include/crypto/blake2b.h | base64 >&3
"""


def test_a_real_kbuild_and_its_flags_give_one_size(lab, container, tmp_path):
    """``make lib/crypto/blake2b.o`` of an i386 kernel, and ours with --flags-from of it."""
    from rig.measures import size

    tree = container(tmp_path, KBUILD)
    command = str(tree / "lib/crypto/.blake2b.o.cmd")
    (setup,) = with_flags_from(CATALOG.setups(), command, chosen=False)
    core = sources.load(f"linux:{tree}", CATALOG)
    ours = figures(lab, setup, tree, None)
    theirs = {
        item.name: item.value
        for item in size.of((tree / "lib/crypto/blake2b.o").read_bytes(), core.symbol)
    }
    profile = figures(lab, setup_of("i386", Toolchain("gcc")), tree, None)
    sizes = (theirs["size"], ours["size"], profile["size"])
    print(f"kbuild {sizes[0]}, ours with its flags {sizes[1]}, profile kernel {sizes[2]}")
    assert setup.id == "i386/gcc/kbuild"
    assert theirs["size"] == ours["size"] == profile["size"]
    assert theirs["constants"] == ours["constants"]
