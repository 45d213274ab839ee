"""Frames: what goes out is what docs/wire.md says, what comes in is believed only if whole."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import UsageError
from rig.model import ByteOrder
from rig.wire import (
    MAX_LINE,
    Reply,
    WireFault,
    encode,
    encode_reply,
    parse,
    parse_hello,
)

HELLO = (
    "rig=1 target=arm32 bits=32 order=little char=unsigned core=rolled adapter=compress "
    "build=0123456789abcdef cc=gcc-14.2.0 page=4096 features=compress,counter"
)
printable_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=300)


def framed(body: bytes) -> bytes:
    return body + b" *%08x" % zlib.crc32(body)


def test_a_request_is_its_number_its_command_and_the_crc_of_both():
    assert encode(7, "sync") == framed(b"#7 sync") + b"\n"


def test_the_crc_is_that_of_zlib():
    # Check value of CRC-32/ISO-HDLC: crc("123456789") = cbf43926.
    assert framed(b"123456789").endswith(b" *cbf43926")


def test_an_empty_payload_leaves_no_blank():
    assert encode_reply(7) == framed(b"#7 ok") + b"\n"
    assert parse(encode_reply(7)[:-1]) == Reply(7, True, "")


@given(st.integers(0, 2**64), st.booleans(), printable_text)
def test_a_reply_survives_the_wire(seq, ok, payload):
    line = encode_reply(seq, payload.rstrip(" "), ok=ok)
    assert parse(line[:-1]) == Reply(seq, ok, payload.rstrip(" "))


@given(st.integers(0, 100), st.integers(0, 7))
def test_every_flipped_bit_is_noticed(position, bit):
    line = bytearray(framed(b"#12 ok " + b"ab" * 64))
    line[position % len(line)] ^= 1 << bit
    with pytest.raises(WireFault):
        parse(bytes(line))


@given(st.binary(max_size=200))
def test_what_is_said_of_random_bytes_can_be_printed(data):
    with pytest.raises(WireFault) as caught:
        parse(data)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "stray output"),
        (b"Segmentation fault", "stray output"),
        (b"#1 ok 00 *00000000", "wrong CRC"),
        (framed(b"#1 ok 00").replace(b" *", b" x"), "stray output"),
        (framed(b"#1 yes 00"), "damaged frame"),
        (framed(b"1 ok 00"), "stray output"),
        (framed(b"#+1 ok 00"), "damaged frame"),
        (framed(b"#1_0 ok 00"), "damaged frame"),
        (framed(b"#" + b"9" * 5000 + b" ok"), "damaged frame"),
        (framed(b"#1 ok \x1b[31m"), "damaged frame"),
        (framed(b"#1 ok \xff"), "damaged frame"),
        (framed(b"#1 ok 00\r"), "damaged frame"),
        (framed(b""), "stray output"),
    ],
)
def test_what_is_no_frame_is_named(line, why):
    with pytest.raises(WireFault, match=why):
        parse(line)


def test_an_upper_case_crc_is_not_the_protocol():
    line = framed(b"#1 ok 00")
    head, crc = line[:-8], line[-8:]
    assert crc.upper() != crc
    with pytest.raises(WireFault):
        parse(head + crc.upper())


@pytest.mark.parametrize("command", ["a\nb", "a\0", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"])
def test_a_case_is_one_printable_line(command):
    with pytest.raises(UsageError, match="printable ASCII"):
        encode(1, command)


def test_the_longest_line_fits_and_one_more_byte_does_not():
    room = MAX_LINE - len(encode(1, ""))
    assert len(encode(1, "x" * room)) == MAX_LINE
    with pytest.raises(UsageError, match="does not fit"):
        encode(1, "x" * (room + 1))


def test_a_hello_says_who_it_is():
    hello = parse_hello(HELLO)
    assert (hello.target, hello.bits, hello.order) == ("arm32", 32, ByteOrder.LITTLE)
    assert (hello.core, hello.adapter, hello.build) == (
        "rolled",
        "compress",
        "0123456789abcdef",
    )
    assert (hello.char, hello.cc, hello.page) == ("unsigned", "gcc-14.2.0", 4096)
    assert hello.features == {"compress", "counter"}


def test_a_hello_without_features_has_none():
    assert parse_hello(HELLO.replace("compress,counter", "")).features == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("rig=1", "rig=2", "speaks protocol 2, not 1"),
        ("rig=1 ", "", "speaks protocol none"),
        ("core=rolled ", "", "has no core"),
        ("bits=32", "bits=many", "cannot be read"),
        ("order=little", "order=middle", "cannot be read"),
    ],
)
def test_another_hello_is_refused(old, new, why):
    with pytest.raises(WireFault, match=why):
        parse_hello(HELLO.replace(old, new))
