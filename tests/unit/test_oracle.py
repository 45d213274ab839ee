"""The oracle: its own compress against hashlib and the RFC, its answers against both."""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.cases import Case, compress_case, hash_case, parse
from rig.checks.vectors import ABC, GRAND, published, self_test_cases
from rig.errors import StoreFault
from rig.makers import Cases, made_once
from rig.oracle import IV, MASK, WORTH_KEEPING, Oracle, compress, fold, hash_with_counter
from rig.store import Store
from rig.streams import Data, Streams, literal, stream


def test_compress_is_that_of_rfc_7693_appendix_a() -> None:
    h = [IV[0] ^ 0x01010000 ^ 64, *IV[1:]]
    words = struct.unpack("<16Q", b"abc".ljust(128, b"\0"))
    state = compress(h, words, 3, (MASK, 0))
    assert struct.pack("<8Q", *state).hex() == ABC


@given(st.binary(max_size=700), st.binary(max_size=64), st.integers(1, 64))
def test_the_hash_by_the_rfc_steps_is_hashlib(message: bytes, key: bytes, size: int) -> None:
    wanted = hashlib.blake2b(message, key=key, digest_size=size).digest()
    assert hash_with_counter(message, key, size, (0, 0)) == wanted


@given(st.integers(0, 600), st.data())
def test_answers_do_not_depend_on_the_pieces(length: int, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, length), max_size=5)))
    pieces = [b - a for a, b in zip([0, *cuts], cuts, strict=False)]
    message = stream("lcg", 3, length)
    case = hash_case(message, cut=pieces, n=20, key=stream("inc", 1, 9))
    content = Streams().content(message)
    key = bytes(range(1, 10))
    state = hashlib.blake2b(key=key, digest_size=20)
    start = 0
    for piece in (*pieces, length):
        state.update(content[start : start + piece])
        start += piece
    assert Oracle().answer(case) == state.hexdigest()


def test_the_published_answers_are_what_hashlib_says() -> None:
    oracle = Oracle()
    answers = published()
    assert len(answers) == 513
    key = bytes(range(64)).hex()
    assert sum(f"key=hex:{key}" in line for line in answers) == 256
    for line, digest in answers.items():
        assert parse(line).line == line
        assert oracle.answer(Case(line)) == digest


def test_the_self_test_of_rfc_7693_appendix_e() -> None:
    total = hashlib.blake2b(digest_size=32)
    oracle = Oracle()
    for case in self_test_cases():
        total.update(bytes.fromhex(oracle.answer(case)))
    assert total.hexdigest() == GRAND


def test_a_counter_preset_carries_into_the_high_word_and_wraps() -> None:
    message = bytes(200)
    h = [IV[0] ^ 0x01010040, *IV[1:]]
    first = struct.unpack("<16Q", message[:128])
    last = struct.unpack("<16Q", message[128:].ljust(128, b"\0"))
    for start in (2**64 - 128, 2**64 - 129, 2**128 - 128, 2**128 - 1, 2**32 - 128):
        state = compress(h, first, (start + 128) % 2**128, (0, 0))
        state = compress(state, last, (start + 200) % 2**128, (MASK, 0))
        case = hash_case(stream("byte", 0, 200), ctr=(start & MASK, start >> 64))
        assert Oracle().answer(case) == struct.pack("<8Q", *state).hex()


def test_several_blocks_are_as_many_calls() -> None:
    h, blocks = list(range(8)), bytes(range(256)) + bytes(128)
    state, t = h, 2**128 - 200
    for start in (0, 128, 256):
        state, t = fold(state, blocks[start : start + 128], t, (MASK, 5))
    assert fold(h, blocks, 2**128 - 200, (MASK, 5)) == (state, t)
    assert t == 184


def test_the_payload_of_compress_holds_state_counter_and_flags() -> None:
    case = compress_case(
        stream("lcg", 1, 64), stream("lcg", 2, 256), t=(2**64 - 1, 7), f=(1, 2)
    )
    h, t, f = Oracle().answer(case).split(",")
    assert len(h) == 128
    assert struct.unpack("<2Q", bytes.fromhex(t)) == (255, 8)
    assert struct.unpack("<2Q", bytes.fromhex(f)) == (1, 2)


@pytest.mark.parametrize("inc", [0, 1, 127])
def test_inc_is_what_the_counter_grows_by(inc: int) -> None:
    h = literal(bytes(64))
    case = compress_case(h, stream("byte", 1, 128), inc=inc)
    state = compress([0] * 8, [0x0101010101010101] * 16, inc, (0, 0))
    assert Oracle().answer(case).split(",")[0] == struct.pack("<8Q", *state).hex()


def test_an_answer_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Oracle()
    case = hash_case(stream("lcg", 1, 10), ctr=(5, 5))
    first = oracle.answer(case)

    def never(*args: object) -> bytes:
        raise AssertionError("asked again")

    monkeypatch.setattr("rig.oracle.hash_with_counter", never)
    assert oracle.answer(hash_case(stream("lcg", 1, 10), ctr=(5, 5))) == first


def _all(streams: Streams, wanted: list[Data]) -> list[bytes]:
    return [streams.content(data) for data in wanted]


def test_threads_that_share_streams_get_the_bytes_that_one_alone_gets() -> None:
    """Cells are judged side by side; a stream lengthened by two at once was wrong for good."""
    before = sys.getswitchinterval()
    wanted = [stream("lcg", seed, size) for size in (64, 128, 700, 5000) for seed in range(4)]
    right = [Streams().content(data) for data in wanted]
    try:
        sys.setswitchinterval(1e-6)
        for _ in range(20):
            shared = Streams()
            with ThreadPoolExecutor(4) as pool:
                jobs = [pool.submit(_all, shared, wanted) for _ in range(4)]
                assert all(job.result() == right for job in jobs)
    finally:
        sys.setswitchinterval(before)


@made_once
def growing(count: int = WORTH_KEEPING) -> Iterator[Case]:
    for length in range(count):
        yield hash_case(stream("lcg", 1, length))


def test_cases_and_answers_of_a_check_are_found_again_in_the_store(tmp_path, monkeypatch):
    store = Store(tmp_path)
    first = Oracle(store).answers(growing())
    messages = [Streams().content(case.question.data) for case in growing()]
    assert list(first) == [hashlib.blake2b(message).hexdigest() for message in messages]
    monkeypatch.setattr(Oracle, "_hash", None)  # nothing can be computed any more
    again = Cases(growing().key, never)
    assert list(Oracle(store).answers(again)) == list(first)
    assert list(again) == list(growing())


def never() -> Iterator[Case]:
    raise AssertionError("made again")


def test_few_answers_are_not_worth_a_file(tmp_path):
    Oracle(Store(tmp_path)).answers(growing(WORTH_KEEPING - 1))
    assert list(tmp_path.iterdir()) == []


def test_another_oracle_takes_nothing_of_an_earlier_one(tmp_path, monkeypatch):
    store = Store(tmp_path)
    Oracle(store).answers(growing())
    monkeypatch.setattr("rig.oracle._code", lambda: "another")
    monkeypatch.setattr(Oracle, "_hash", lambda self, question: b"computed")
    assert Oracle(store).answers(growing())[0] == b"computed".hex()


def test_a_store_that_cannot_be_written_costs_no_answer(tmp_path, monkeypatch):
    def full(self, key, files):
        raise StoreFault("full")

    monkeypatch.setattr(Store, "put", full)
    assert len(Oracle(Store(tmp_path)).answers(growing())) == WORTH_KEEPING
