"""Messages that are their data many times over: rep and map."""

from __future__ import annotations

import hashlib

import pytest

from rig.cases import Hash, hash_case, parse
from rig.checks.long import past_4_gib
from rig.errors import UsageError
from rig.oracle import Oracle
from rig.patience import Patience
from rig.streams import Streams, stream

PIECE = stream("lcg", 7, 1000)


@pytest.mark.parametrize("how", ["rep", "map"])
def test_the_oracle_hashes_the_data_over_and_over(how: str) -> None:
    case = hash_case(PIECE, n=20, **{how: 5})
    whole = Streams().content(PIECE) * 5
    assert Oracle().answer(case) == hashlib.blake2b(whole, digest_size=20).hexdigest()


def test_the_line_reads_back_and_counts_the_whole_message() -> None:
    case = hash_case(PIECE, rep=5, cut=(3,), at=1)
    assert parse(case.line) == case
    assert case.line.endswith(" rep=5")
    assert case.blocks == 40
    assert case.rank > hash_case(PIECE).rank


@pytest.mark.parametrize(
    "line",
    [
        "hash in=lcg:1:4096 map=2 at=1",
        "hash in=lcg:1:4096 map=2 cut=5",
        "hash in=lcg:1:4096 map=2 rep=2",
        "hash in=lcg:1:4096 map=2 guard=after",
        "hash in=lcg:1:4096 rep=2 ctr=1:0",
        "hash in=lcg:1:4096 rep=0",
        "hash in=byte:1:1000000000 rep=1000000",
    ],
)
def test_what_does_not_go_together_is_refused(line: str) -> None:
    with pytest.raises(UsageError):
        parse(line)


def test_a_deadline_grows_with_the_whole_message() -> None:
    patience = Patience(case=5.0, byte=1e-6)
    quiet, _ = patience.of(["hash in=lcg:1:1000000 rep=4000"])
    assert quiet > 4000


@pytest.mark.parametrize(("bits", "one_piece"), [(32, False), (64, True)])
def test_long_messages_are_past_4_gib_and_small_in_memory(bits: int, one_piece: bool) -> None:
    cases = list(past_4_gib(bits))
    for case in cases:
        question = case.question
        assert isinstance(question, Hash)
        assert question.length > 1 << 32
        assert question.data.length <= (1 << 20) + 1
    assert any("map=" in case.line for case in cases) is one_piece
