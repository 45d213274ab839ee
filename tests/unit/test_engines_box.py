"""The report stream of a box, as a hostile or dying box could write it."""

from __future__ import annotations

import pytest

from rig.engines import box
from rig.errors import EngineFault
from rig.model import Exit, ImageSpec, Job, Limits, Ready

READY = Ready(ImageSpec("any"), "tag", "id")
JOBS = [Job("a", ("true",), outputs=("o",)), Job("b", ("true",))]
ENDED = Exit(0)
GOOD_A = b"job 0 0 + + +\n1\n0\n3\nxabcdone\n"
GOOD_B = b"job 1 0 + +\n0\n0\ndone\n"


class FakeChannel:
    """Gives fixed output, in pieces, then ends: for boxes that write what no real one does."""

    def __init__(self, output: bytes, end: Exit) -> None:
        self._output = output
        self._end = end
        self.closed = False
        self.written = b""

    def write(self, data: bytes, timeout: float) -> int:
        self.written += data
        return len(data)

    def end_input(self) -> None:
        pass

    def read(self, size: int, timeout: float) -> bytes:
        piece, self._output = self._output[:5], self._output[5:]
        return piece

    def stderr(self) -> bytes:
        return b"said"

    def close(self, grace: float = 0.0) -> Exit:
        self.closed = True
        return self._end


class FakeEngine:
    """Opens one FakeChannel."""

    isolated = True

    def __init__(self, output: bytes, end: Exit = ENDED) -> None:
        self.channel = FakeChannel(output, end)

    def open(self, ready, argv, files, limits):
        self.files = files
        return self.channel


def run(engine: FakeEngine, jobs=JOBS):
    return list(box.run(engine, READY, [jobs], {}, Limits(), 2))


def test_reports_come_in_any_order():
    engine = FakeEngine(GOOD_B + GOOD_A + b"end\n")
    done = run(engine)
    assert [one.name for one in done] == ["b", "a"]
    assert (done[1].stdout, done[1].outputs) == (b"x", {"o": b"abc"})
    assert engine.channel.closed


def test_a_file_that_is_not_there_is_left_out():
    assert run(FakeEngine(GOOD_B + b"job 0 0 + + -\n0\n0\ndone\nend\n"))[1].outputs == {}


@pytest.mark.parametrize(
    ("output", "end", "why"),
    [
        (GOOD_A, Exit(None, 9, oom=True), "out of memory"),
        (GOOD_A, Exit(None, lost="the container was removed"), "the container was removed"),
        (GOOD_A, Exit(None, 15), "killed by signal 15"),
        (GOOD_A, Exit(1), "ended before its jobs had reported"),
        (GOOD_A + b"end\n", Exit(0), "these jobs never reported: b"),
        (GOOD_A + GOOD_A, Exit(0), "out of form"),
        (b"job 7 0 + +\n", Exit(0), "out of form"),
        (b"job x 0 + +\n", Exit(0), "out of form"),
        (b"job 1 \xb2 + +\n", Exit(0), "out of form"),
        (b"job 0 0 + + -\nzz\n", Exit(0), "out of form"),
        (b"job 0 0 + +\n0\n0\n", Exit(0), "out of form"),
        (b"x" * 10000, Exit(0), "out of form"),
        (b"job 0 0 + + +\n99999999999\n", Exit(0), "more than the box may hold"),
        (GOOD_B.replace(b"done", b"gone"), Exit(0), "out of form"),
    ],
)
def test_a_box_of_no_use_says_why(output, end, why):
    engine = FakeEngine(output, end)
    with pytest.raises(EngineFault, match=why) as caught:
        run(engine)
    assert caught.value.detail == "said"
    assert engine.channel.closed


def test_a_job_may_have_many_outputs():
    names = tuple(f"o{n}" for n in range(500))
    sizes = b"1\n" * len(names)
    report = b"job 0 0 + +" + b" +" * len(names) + b"\n0\n0\n" + sizes
    engine = FakeEngine(report + b"x" * len(names) + b"done\nend\n")
    [done] = run(engine, [Job("a", ("true",), outputs=names)])
    assert done.outputs == dict.fromkeys(names, b"x")


def test_no_jobs_open_no_box():
    assert run(FakeEngine(b""), []) == []
