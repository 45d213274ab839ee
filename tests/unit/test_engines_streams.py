"""Frames, tails, tars: the small parts below every channel."""

from __future__ import annotations

import io
import random
import tarfile

import pytest

from rig.engines.streams import Frames, Tail, pack, safe_path
from rig.errors import UsageError


def frame(kind: int, data: bytes) -> bytes:
    return bytes([kind, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def test_frames_come_apart_however_the_stream_is_cut():
    stream = frame(1, b"out") + frame(2, b"err") + frame(1, b"") + frame(1, b"x" * 1000)
    random.seed(1)
    for _ in range(50):
        tail = Tail()
        frames = Frames(tail)
        out, at = b"", 0
        while at < len(stream):
            size = random.randint(1, 20)
            out += frames.feed(stream[at : at + size])
            at += size
        assert out == b"out" + b"x" * 1000
        assert tail.value() == b"err"


def test_a_length_that_never_comes_costs_no_memory():
    frames = Frames(Tail())
    assert frames.feed(b"\1\0\0\0\xff\xff\xff\xff" + b"abc") == b"abc"


@pytest.mark.parametrize("piece", [1, 7, 100, 1000])
def test_a_tail_is_the_end_of_the_stream(piece):
    data = random.Random(piece).randbytes(1000)
    tail = Tail(limit=64)
    for at in range(0, len(data), piece):
        tail.add(data[at : at + piece])
    assert tail.value() == data[-64:]


def test_a_tar_holds_any_name_and_is_the_same_each_time():
    files = {"ü/x y": b"1", "n" * 200: b"2", "empty": b""}
    data = pack(files)
    assert data == pack(dict(reversed(files.items())))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert {m.name: tar.extractfile(m).read() for m in tar.getmembers()} == files
        assert {m.mode for m in tar.getmembers()} == {0o755}


@pytest.mark.parametrize("path", ["", "/x", "..", "a/../b", "a//b", "a/", "./a", "a\0b"])
def test_a_path_that_could_lead_out_is_refused(path):
    with pytest.raises(UsageError, match="not a path that can be sent"):
        safe_path(path)
