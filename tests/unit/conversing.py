"""What the tests of session and guest share: the fake guest as a real process in a box."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from rig.engines import Channel
from rig.engines.host import HostEngine
from rig.guest import Guest, Identity
from rig.model import ByteOrder, ImageSpec, Limits, Ready, Target
from rig.patience import Patience
from rig.runners.qemu_user import QemuUser

FAKE_GUEST = (Path(__file__).parent / "fake_guest.py").read_bytes()
READY = Ready(ImageSpec("i386"), "host", "host")
HASTY = Patience(case=1.0, byte=0.0)
"""For guests that hang: one second of silence is enough to know."""

I386 = Target(
    name="i386",
    summary="",
    triple="i686-linux-gnu",
    clang_target="i686-linux-gnu",
    bits=32,
    byte_order=ByteOrder.LITTLE,
    machine="EM_386",
    family="x86",
    qemu="qemu-i386",
    qemu_cpu="pentium3",
    compilers=("gcc",),
    packages=(),
)
IDENTITY = Identity("i386", 32, "little", "rolled", "0123456789abcdef")


def open_fake(*arguments: str) -> Channel:
    """The fake guest, started in a box of the host engine."""
    argv = (sys.executable, "-I", "-S", "fake_guest.py", *arguments)
    return HostEngine().open(READY, argv, {"fake_guest.py": FAKE_GUEST}, Limits())


def fake_guest(*arguments: str, **options: object) -> Guest:
    """The fake guest, supervised. options: of Guest."""
    patience = options.pop("patience", None)
    return Guest(
        lambda: open_fake(*arguments),
        QemuUser(I386),
        IDENTITY,
        patience=patience,  # type: ignore[arg-type]
        **options,  # type: ignore[arg-type]
    )


def case(seed: int, length: int = 16) -> str:
    return f"hash in=lcg:{seed}:{length}"


def lcg(seed: int, length: int) -> bytes:
    out = bytearray()
    for _ in range(length):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(seed >> 56)
    return bytes(out)


def digest(seed: int, length: int = 16) -> str:
    return hashlib.blake2b(lcg(seed, length)).hexdigest()
