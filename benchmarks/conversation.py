"""Verified 128-byte digests per second: rig's guest beside a bare loop, on the same program.

    .venv/bin/python benchmarks/conversation.py [--target i386] [--program FILE --image TAG]

Every answer is compared with hashlib's; the expected ones are computed before the clock starts.
The bare loop does only what the protocol demands: it frames a batch, writes it into a pipe,
reads as many lines as it asked for, and compares digests; it checks no CRC, has no deadline and
survives nothing. Rounds alternate between all; the best of each counts, for what disturbs a
round only ever slows it. pytest-embedded is no part of rig's environment; to have it measured:

    .venv/bin/pip install pytest-embedded

Without --program and --image, rig builds the guest and its image. Exits 1 when a ratio is
missed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from rig.catalog import Catalog, load
from rig.engines import Engine
from rig.engines.host import HostEngine
from rig.guest import BATCH_CASES, Guest, Identity
from rig.lab import Lab, open_engine
from rig.model import Cell, ImageSpec, Limits, Ready, Target
from rig.runners.qemu_user import QemuUser
from rig.store import Store
from rig.wire import parse, parse_hello

LENGTH = 128
CASES = 40 * BATCH_CASES
EMBEDDED_CASES = 2 * BATCH_CASES
ROUNDS = 5
LIMITS = Limits()
HERE = Path(__file__).parent

WANTED = (
    ("rig, host", "bare, host", 0.7),
    ("rig, container", "bare, host", 0.4),
    ("rig, container", "bare, container", 0.4),
    ("rig, host", "pytest-embedded", 20.0),
)


def lcg(seed: int, length: int) -> bytes:
    """The data rule of docs/wire.md."""
    out = bytearray()
    for _ in range(length):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(seed >> 56)
    return bytes(out)


def questions(count: int) -> tuple[list[str], list[str]]:
    """Cases and the digests that hashlib gives for them."""
    cases = [f"hash in=lcg:{seed}:{LENGTH}" for seed in range(count)]
    answers = [hashlib.blake2b(lcg(seed, LENGTH)).hexdigest() for seed in range(count)]
    return cases, answers


class Rate:
    """Answers a second of one way to ask; best of its rounds."""

    def __init__(self, ask: Callable[[list[str], list[str]], None], count: int = CASES) -> None:
        self.ask = ask
        self.cases, self.answers = questions(count)
        self.best = 0.0

    def round(self) -> None:
        start = time.perf_counter()
        self.ask(self.cases, self.answers)
        self.best = max(self.best, len(self.cases) / (time.perf_counter() - start))


# ----------------------------------------------------------------------------- bare loop


class Bare:
    """A process over two pipes, and the least that talking to it takes."""

    def __init__(self, argv: list[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=folder
        )
        self.hello = self.lines(1)[0]

    def lines(self, count: int) -> list[bytes]:
        assert self.process.stdout is not None
        chunks, seen = [], 0
        while seen < count:
            chunk = self.process.stdout.read(65536)
            if not chunk:
                raise SystemExit("the bare loop's guest has ended")
            chunks.append(chunk)
            seen += chunk.count(b"\n")
        return b"".join(chunks).split(b"\n")[:count]

    def ask(self, cases: list[str], answers: list[str]) -> None:
        assert self.process.stdin is not None
        for first in range(0, len(cases), BATCH_CASES):
            frames = []
            for seq, case in enumerate(cases[first : first + BATCH_CASES], first + 1):
                body = b"#%d %s" % (seq, case.encode())
                frames.append(b"%s *%08x\n" % (body, zlib.crc32(body)))
            self.process.stdin.write(b"".join(frames))
            for line, answer in zip(self.lines(len(frames)), answers[first:], strict=False):
                if line.split(b" ")[2] != answer.encode():
                    raise SystemExit(f"wrong digest from the bare loop: {line!r}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


# ----------------------------------------------------------------------------- rig's guest


def ask_guest(guest: Guest) -> Callable[[list[str], list[str]], None]:
    def ask(cases: list[str], answers: list[str]) -> None:
        for outcome, answer in zip(guest.ask(cases), answers, strict=True):
            if outcome != (outcome[0], True, answer):  # type: ignore[index]
                raise SystemExit(f"wrong digest from rig's guest: {outcome}")

    return ask


def supervised(
    engine: Engine, ready: Ready, target: Target, program: bytes, who: Identity
) -> Guest:
    runner = QemuUser(target)
    files = {"guest": program}
    return Guest(lambda: engine.open(ready, runner.argv("guest"), files, LIMITS), runner, who)


# ------------------------------------------------------------------------ pytest-embedded

EMBEDDED = """
import sys, time
sys.path.insert(0, {here!r})
from conversation import questions, EMBEDDED_CASES
from pytest_embedded.log import DuplicateStdoutPopen
import zlib

def test_rate(dut, msg_queue):
    cases, answers = questions(EMBEDDED_CASES)
    process = DuplicateStdoutPopen(msg_queue, {argv!r}, cwd={folder!r})
    dut.expect_exact("#0 ok")
    start = time.perf_counter()
    for seq, (case, answer) in enumerate(zip(cases, answers), 1):
        body = b"#%d %s" % (seq, case.encode())
        process.write(b"%s *%08x\\n" % (body, zlib.crc32(body)))
        dut.expect_exact("#%d ok %s" % (seq, answer), timeout=10)
    print("RATE", len(cases) / (time.perf_counter() - start), file=open({out!r}, "w"))
    process.terminate()
"""


def embedded_rate(argv: list[str], folder: Path) -> float:
    """One request at a time, as its users write it: write, then expect the answer."""
    out, test = folder / "rate.txt", folder / "test_embedded.py"
    test.write_text(
        EMBEDDED.format(here=str(HERE), argv=argv, folder=str(folder), out=str(out))
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:rig", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, str(test)], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"pytest-embedded failed:\n{done.stdout.decode()}")
    return float(out.read_text().split()[1])


# ---------------------------------------------------------------------------------- main


def made(catalog: Catalog, target: Target) -> tuple[bytes, Ready]:
    """The guest of rolled by gcc, and the image it was made in."""
    store = Store()
    engine = open_engine("docker", catalog, store.root)
    with Lab(catalog, engine, store, lambda _: None) as lab:
        (setup,) = catalog.setups([f"{target.name}/gcc/user"])
        return lab.built(Cell(setup, catalog.core("rolled"))).program, lab.ready(setup)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--target", default="i386")
    options.add_argument("--program", type=Path)
    options.add_argument("--image", help="with qemu-user in it; for --program")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    asked = options.parse_args()
    catalog = load()
    target = catalog.targets[asked.target]
    if asked.program:
        image = asked.image or "debian:trixie-slim"
        program, ready = asked.program.read_bytes(), Ready(ImageSpec(target.name), image, image)
    else:
        program, ready = made(catalog, target)
    with tempfile.TemporaryDirectory(prefix="rig-benchmark-") as name:
        return measure(target, program, ready, Path(name), asked.rounds)


def measure(target: Target, program: bytes, ready: Ready, folder: Path, rounds: int) -> int:
    (folder / "guest").write_bytes(program)
    (folder / "guest").chmod(0o755)
    argv = list(QemuUser(target).argv("guest"))
    inside = ["docker", "run", "-i", "--rm", "--init", "--network=none", "-v"]
    inside += [f"{folder}:/guest:ro", "-w", "/guest", "--entrypoint", argv[0], ready.id]
    bare = {
        "bare, host": Bare(argv, folder),
        "bare, container": Bare(inside + argv[1:], folder),
    }
    hello = parse_hello(parse(bare["bare, host"].hello).payload)
    who = Identity(target.name, target.bits, target.byte_order, hello.core, hello.build)
    engines = {"rig, host": HostEngine(), "rig, container": docker_engine()}
    guests = {
        name: supervised(engine, ready, target, program, who)
        for name, engine in engines.items()
    }
    rates = {name: Rate(one.ask) for name, one in bare.items()}
    rates |= {name: Rate(ask_guest(guest)) for name, guest in guests.items()}
    try:
        for guest in guests.values():
            assert guest.hello.core == hello.core
        for _ in range(rounds):
            for rate in rates.values():
                rate.round()
    finally:
        for closing in (bare, guests, engines):
            for one in closing.values():
                one.close()
    found = {name: rate.best for name, rate in rates.items()}
    if importlib.util.find_spec("pytest_embedded"):
        found["pytest-embedded"] = max(embedded_rate(argv, folder) for _ in range(2))
    return report(target, found)


def docker_engine() -> Engine:
    catalog = load()
    return open_engine("docker", catalog, Store().root)


def report(target: Target, found: dict[str, float]) -> int:
    print(f"verified {LENGTH}-byte digests per second, {target.name}, batches of {BATCH_CASES}")
    for name, rate in found.items():
        print(f"  {name:<18}{rate:10,.0f}")
    missed = False
    for ours, theirs, least in WANTED:
        if theirs not in found:
            print(f"  {ours} / {theirs}: not measured ({theirs} is not installed)")
            continue
        ratio = found[ours] / found[theirs]
        missed = missed or ratio < least
        print(f"  {ours} / {theirs}: {ratio:.2f} (at least {least:g})")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
