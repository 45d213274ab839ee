"""A case is its line: canonical, read back the same, refused with the reason."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.cases import Case, Compress, Hash, case_of, compress_case, hash_case, parse
from rig.errors import UsageError
from rig.streams import EMPTY, Data, Streams, literal, parse_data, stream

words = st.integers(0, 2**64 - 1)
pairs = st.tuples(words, words)


def data_of(length: int) -> st.SearchStrategy[Data]:
    return st.one_of(
        st.builds(stream, st.sampled_from(("lcg", "byte", "inc")), words, st.just(length)),
        st.binary(min_size=length, max_size=length).map(literal),
    )


places = {
    "at": st.integers(0, 63),
    "guard": st.sampled_from(("-", "after", "before")),
    "fill": st.integers(0, 255),
    "stack": st.none() | st.integers(0, 255),
}


@st.composite
def hashes(draw: st.DrawFn) -> Hash:
    length = draw(st.integers(0, 300))
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=4)))
    return Hash(
        n=draw(st.integers(1, 64)),
        key=draw(st.integers(0, 64).flatmap(data_of)),
        data=draw(data_of(length)),
        cut=tuple(b - a for a, b in zip([0, *cuts], cuts, strict=False)),
        out=draw(st.integers(0, 63)),
        ctr=draw(st.none() | pairs),
        **{name: draw(values) for name, values in places.items()},
    )


@st.composite
def compressions(draw: st.DrawFn) -> Compress:
    blocks = draw(st.integers(1, 5))
    return Compress(
        h=draw(data_of(64)),
        data=draw(data_of(blocks * 128)),
        t=draw(pairs),
        f=draw(pairs),
        inc=draw(st.integers(0, 128)) if blocks == 1 else 128,
        **{name: draw(values) for name, values in places.items()},
    )


@given(hashes() | compressions())
def test_a_case_reads_back_from_its_line(question: Hash | Compress) -> None:
    case = case_of(question)
    again = parse(case.line)
    assert again == case
    assert again.question == question
    assert Case(case.line).question == question


@given(hashes() | compressions(), st.randoms())
def test_the_order_of_arguments_does_not_matter(question: Hash, random: Random) -> None:
    verb, *arguments = question.line.split()
    random.shuffle(arguments)
    assert parse(" ".join((verb, *arguments))).line == question.line


def test_the_line_is_that_of_the_wire() -> None:
    case = hash_case(stream("lcg", 1, 129), n=32, cut=(1, 127))
    assert case.line == "hash n=32 in=lcg:1:129 cut=1,127"
    assert hash_case().line == "hash"
    full = compress_case(stream("lcg", 1, 64), stream("inc", 0, 128), t=(2**64 - 1, 1), inc=7)
    assert full.line == "compress h=lcg:1:64 t=ffffffffffffffff:1 in=inc:0:128 inc=7"
    assert parse("hash n=064 key=- in=byte:256:3 ctr=00:0A").line == "hash in=byte:0:3 ctr=0:a"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "is not a case"),
        ("time in=- loops=3", "is not a case"),
        ("hash n=65", "n=65: from 1 to 64"),
        ("hash n=0", "n=0"),
        ("hash n=x", "decimal"),
        ("hash n=8 n=8", "twice"),
        ("hash m=1", "no argument 'm=1'"),
        ("hash in", "no argument 'in'"),
        ("hash in=lcg:1", "is not data"),
        ("hash in=hex:abc", "two digits a byte"),
        ("hash in=lcg:18446744073709551616:1", "64 bits"),
        ("hash in=lcg:1:99999999999", "at most"),
        ("hash key=inc:0:65", "key length=65"),
        ("hash in=inc:0:4 cut=2,3", "5 bytes, the message 4"),
        ("hash cut=1,-1 in=inc:0:4", "decimal"),
        ("hash guard=both", "one of after, before, -"),
        ("hash fill=a", "two hex digits"),
        ("hash ctr=1", "<low>:<high>"),
        ("hash at=64", "at=64"),
        ("compress h=inc:0:63 in=inc:0:128", "a state has 64"),
        ("compress h=inc:0:64", "whole blocks"),
        ("compress h=inc:0:64 in=inc:0:129", "whole blocks"),
        ("compress h=inc:0:64 in=inc:0:256 inc=1", "several blocks only with inc=128"),
        ("compress h=inc:0:64 in=inc:0:128 out=1", "no argument 'out=1'"),
    ],
)
def test_a_wrong_line_is_refused_with_the_reason(line: str, reason: str) -> None:
    with pytest.raises(UsageError, match=re.escape(reason)):
        parse(line)


def test_blocks_count_the_key_and_the_empty_message() -> None:
    key = stream("inc", 0, 1)
    assert [hash_case(stream("inc", 0, n)).blocks for n in (0, 1, 128, 129)] == [1, 1, 1, 2]
    assert [hash_case(stream("inc", 0, n), key=key).blocks for n in (0, 1, 129)] == [1, 2, 3]
    assert hash_case(stream("inc", 0, 129)).cost == 256


def test_smaller_is_shorter_then_fewer_pieces_then_a_shorter_key() -> None:
    short, long = stream("inc", 0, 2), stream("inc", 0, 10)
    key = stream("inc", 0, 3)
    ordered = [
        hash_case(short, cut=(1,), key=key),
        hash_case(long),
        hash_case(long, n=3),
        hash_case(long, n=20),
        hash_case(long, key=key),
        hash_case(long, cut=(1,)),
    ]
    assert sorted(ordered, key=lambda case: case.rank) == ordered


# --------------------------------------------------------------------------- data


def test_lcg_is_the_generator_of_the_wire() -> None:
    state, wanted = 12345, []
    for _ in range(500):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        wanted.append(state >> 56)
    assert Streams().content(stream("lcg", 12345, 500)) == bytes(wanted)


@given(
    st.sampled_from(("lcg", "byte", "inc")),
    st.integers(0, 300),
    st.lists(st.integers(0, 700), max_size=6),
)
def test_a_shorter_stream_is_a_prefix_in_any_order_of_asking(kind, seed, lengths) -> None:
    whole = Streams().content(stream(kind, seed, 700))
    streams = Streams()
    for length in lengths:
        assert streams.content(stream(kind, seed, length)) == whole[:length]


@pytest.mark.parametrize("kind", ["byte", "inc", "lcg"])
def test_chunks_are_the_same_bytes(kind: str) -> None:
    data = stream(kind, 77, 2_500_007 if kind != "lcg" else 3000)
    streams = Streams()
    assert b"".join(streams.chunks(data)) == streams.content(data)


def test_a_stream_past_4_gib_comes_in_chunks_of_a_megabyte() -> None:
    data = stream("inc", 5, 2**32 + 129)
    chunks = Streams().chunks(data)
    sizes = [len(chunk) for chunk, _ in zip(chunks, range(3), strict=False)]
    assert max(sizes) <= 1 << 20
    assert min(sizes) > 0


def test_streams_forget_rather_than_grow() -> None:
    streams = Streams()
    first = streams.content(stream("inc", 1, 1000))
    streams.content(stream("inc", 2, 60 << 20))
    streams.content(stream("inc", 3, 30 << 20))
    assert streams.content(stream("inc", 1, 1000)) == first
    assert sum(map(len, streams._made.values())) < 64 << 20


def test_empty_data_has_one_spelling() -> None:
    assert parse_data("lcg:9:0") == parse_data("hex:") == parse_data("-") == EMPTY
    assert stream("lcg", 1, 9).cut_to(0) == EMPTY
