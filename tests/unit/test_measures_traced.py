"""All figures of a guest from two runs, played back from qemu's own logs (compiled/make.sh).

The toy's program makes calls of one, three and four blocks, as the cases do.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from test_trace import COMPILED, OVERHEAD, PER_BLOCK, TOYS, VERSIONS, log_of

from rig.measures import frame, traced
from rig.model import Exit, Files
from rig.trace import Emulator
from rig.wire import encode_reply


class FakePlayback:
    """A box that plays a real log back: the real guests need an engine and compilers."""

    def __init__(self, log: Sequence[bytes], cases: int) -> None:
        self.chunks = [b"\n".join(log), b"\nrig-trace-end 0\n"]
        self.replies = b"".join(encode_reply(seq, "00") for seq in range(cases + 1))

    def fileno(self) -> int:
        return -1

    def read(self, size: int, timeout: float) -> bytes:
        return self.chunks.pop(0) if self.chunks else b""

    def write(self, data: bytes, timeout: float) -> int:
        return len(data)

    def end_input(self) -> None:
        pass

    def stderr(self) -> bytes:
        return self.replies

    def close(self, grace: float = 0.0) -> Exit:
        return Exit(0)


def first_call(log: Sequence[bytes]) -> list[bytes]:
    """i386's log up to the driver's use of a helper, after the first call has returned."""
    at = next(i for i, line in enumerate(log) if line.endswith(b"8048148"))
    return list(log[: at + 2])


def measure(toy: str, version: str, second: Sequence[bytes]) -> traced.Traced:
    logs = [log_of(toy, version), second]
    asked: list[Sequence[str]] = []

    def play(argv: Sequence[str], files: Files) -> FakePlayback:
        asked.append(argv)
        return FakePlayback(logs[len(asked) - 1], 3)

    content = (COMPILED / f"{toy}.elf").read_bytes()
    found = traced.measure(play, Emulator(("qemu",), (10, 0)), content, "toy")
    assert ["cpu" in " ".join(argv) for argv in asked] == [False, True]
    return found


@pytest.mark.parametrize("toy", [toy for toy in TOYS if toy != "arm"])
@pytest.mark.parametrize("version", VERSIONS)
def test_two_runs_give_every_figure(toy: str, version: str) -> None:
    found = measure(toy, version, log_of(toy, version))
    figures = {m.name: m.value for m in found.measurements}
    assert figures["work"] == PER_BLOCK[toy]
    assert figures["overhead"] == OVERHEAD[toy]
    assert len(found.one.steps) == PER_BLOCK[toy] + OVERHEAD[toy]
    assert found.depth is not None
    assert figures["stack"] == found.depth.deepest
    assert None not in figures.values()


def test_the_gap_between_frame_and_stack_of_the_toy_is_known() -> None:
    """By hand: three pushes and 48 bytes, the return address, which gcc counts, three words
    pushed for toy_copy, which has a return address and two pushes of its own.
    """
    found = measure("i386", "10.0", log_of("i386", "10.0"))
    assert found.depth is not None
    gap = frame.explain_gap(64, found.depth, family="gcc", machine="EM_386")
    assert str(gap) == "callees +12, return address -4, pushed arguments +12"
    assert gap.unexplained == 0


def test_a_second_run_that_goes_another_way_gives_no_exact_figure() -> None:
    found = measure("i386", "10.0", first_call(log_of("i386", "10.0")))
    figures = {m.name: m for m in found.measurements}
    assert figures["stack"].value is None
    assert "UNSTABLE" in figures["stack"].note
    assert figures["work"].value is None
    assert figures["work"].note == f"UNSTABLE: {PER_BLOCK['i386']} and no figure"
    assert found.depth is None
