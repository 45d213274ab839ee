"""One conversation with a real process, through all the ways in which it can end."""

import pytest
from conversing import HASTY, case, digest, open_fake

from rig.errors import ConfigError
from rig.patience import Patience, timeout_scale
from rig.session import READ_SIZE, REPLY_BYTES, SLACK_BYTES, Kind, Session, SessionFault

COUNT = 10
CASES = [case(seed) for seed in range(COUNT)]
POSITIONS = [0, 5, COUNT - 1]
FAULTS = {
    "crash": Kind.CRASH,
    "killed": Kind.CRASH,
    "exit": Kind.CRASH,
    "exit3": Kind.CRASH,
    "partial": Kind.CRASH,
    "close": Kind.CRASH,
    "hang": Kind.TIMEOUT,
    "partial-hang": Kind.TIMEOUT,
    "flood": Kind.FLOOD,
    "flood-lines": Kind.FLOOD,
    "crc": Kind.DESYNC,
    "stray": Kind.DESYNC,
    "stray-line": Kind.DESYNC,
    "control": Kind.DESYNC,
    "missing": Kind.DESYNC,
    "other": Kind.DESYNC,
    "frame": Kind.DESYNC,
}


def fail(*arguments: str, cases=CASES) -> SessionFault:
    session = Session(open_fake(*arguments), HASTY)
    with pytest.raises(SessionFault) as caught:
        session.ask(cases)
    return caught.value


def test_a_batch_is_answered_in_order():
    session = Session(open_fake())
    assert session.hello.core == "rolled"
    for _ in range(3):
        replies = session.ask(CASES)
        assert [reply.payload for reply in replies] == [digest(seed) for seed in range(COUNT)]
        assert all(reply.ok for reply in replies)
    assert session.close().code == 0


def test_an_error_is_an_answer():
    session = Session(open_fake())
    replies = session.ask(["nonsense", CASES[1]])
    assert [(reply.ok, reply.payload) for reply in replies] == [
        (False, "usage"),
        (True, digest(1)),
    ]
    session.close()


def test_a_reply_in_two_writes_is_one_reply():
    session = Session(open_fake("two@0", f"two@{COUNT - 1}"))
    assert [reply.payload for reply in session.ask(CASES)] == list(map(digest, range(COUNT)))
    session.close()


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(("fault", "kind"), FAULTS.items())
def test_a_fault_is_laid_to_its_case(fault, kind, position):
    found = fail(f"{fault}@{position}")
    assert (found.kind, found.index, found.started) == (kind, position, True)
    assert [reply.payload for reply in found.replies] == list(map(digest, range(position)))


def test_a_garbled_answer_before_a_crash_is_what_counts():
    found = fail("crc@2", "crash@6")
    assert (found.kind, found.index) == (Kind.DESYNC, 2)


def test_last_words_and_a_crash_are_a_crash():
    found = fail("stray-line@4", "crash@5")
    assert found.index == 4
    found = fail("control@9", "exit3@9")
    assert (found.kind, found.index) == (Kind.CRASH, 9)


@pytest.mark.parametrize("fault", ["crash", "hang", "stray", "missing", "flood"])
def test_trouble_after_the_last_answer_is_seen(fault):
    found = fail(f"{fault}@sync")
    assert found.index == COUNT


def test_the_exit_and_what_was_said_are_kept():
    assert fail("crash@3").exit.signal == 11
    assert fail("exit@3").exit.code == 0
    found = fail("exit3@3")
    assert found.exit.code == 3
    assert found.stderr.startswith(b"giving up")
    assert fail("hang@3").exit.killed
    assert fail("close@3").exit.killed


def test_a_flood_takes_no_memory():
    session = Session(open_fake("flood@0"), HASTY)
    with pytest.raises(SessionFault) as caught:
        session.ask(CASES)
    kept = len(session._talk.before)
    assert kept <= REPLY_BYTES * (COUNT + 1) + SLACK_BYTES + 2 * READ_SIZE
    assert len(str(caught.value)) < 1000


def test_more_than_all_buffers_hold_goes_both_ways():
    # 8000 cases: half a megabyte of requests, over a megabyte of answers, unread meanwhile.
    cases = [f"{case(seed, 1)} n=64" for seed in range(8000)]
    session = Session(open_fake())
    replies = session.ask(cases)
    assert len(replies) == len(cases)
    assert replies[7999].payload == digest(7999, 1)
    session.close()


class FakeDeaf:
    """A channel whose peer takes nothing in and says nothing; no real one does so on demand
    without filling a buffer of the kernel's choice first.
    """

    def __init__(self, channel):
        self._channel = channel
        self.deaf = False
        self.fileno, self.end_input = channel.fileno, channel.end_input
        self.stderr, self.close = channel.stderr, channel.close

    def write(self, data, timeout):
        return 0 if self.deaf else self._channel.write(data, timeout)

    def read(self, size, timeout):
        return self._channel.read(size, timeout)


def test_a_guest_that_reads_nothing_is_a_timeout():
    channel = FakeDeaf(open_fake())
    session = Session(channel, HASTY)
    channel.deaf = True
    with pytest.raises(SessionFault) as caught:
        session.ask(CASES)
    assert (caught.value.kind, caught.value.index) == (Kind.TIMEOUT, 0)


@pytest.mark.parametrize(
    ("start", "kind", "why"),
    [
        ("crash", Kind.CRASH, "ended"),
        ("exit", Kind.CRASH, "ended"),
        ("hang", Kind.TIMEOUT, r"no hello in 1 s; is its output flushed\?"),
        ("stray", Kind.DESYNC, "warning: something"),
        ("version", Kind.DESYNC, "speaks protocol 2"),
    ],
)
def test_a_start_that_fails(start, kind, why):
    patience = Patience(start=1.0) if start == "hang" else Patience()
    channel = open_fake(f"hello:{start}")
    with pytest.raises(SessionFault, match=why) as caught:
        Session(channel, patience)
    assert (caught.value.kind, caught.value.started) == (kind, False)
    assert caught.value.index == 0


def test_patience_grows_with_the_work(monkeypatch):
    monkeypatch.delenv("RIG_TIMEOUT_SCALE", raising=False)
    patience = Patience(case=5.0, byte=1e-3)
    assert patience.of(["sync"]) == pytest.approx((5.004, 5.004))
    quiet, total = patience.of(["hash in=lcg:1:1000", "hash in=lcg:1:2000"])
    assert quiet == pytest.approx(8.037)
    assert total == pytest.approx(13.037)
    assert patience.of(["time in=lcg:1:1000 loops=10"])[0] > 15
    # A counter preset is no length.
    assert patience.of(["hash in=lcg:1:1 ctr=ffffffff:99999999"])[0] < 6


def test_deadlines_scale(monkeypatch):
    monkeypatch.setenv("RIG_TIMEOUT_SCALE", "2.5")
    assert timeout_scale() == 2.5
    assert Patience(case=4.0, byte=0.0).of(["sync"]) == (10.0, 10.0)


@pytest.mark.parametrize("text", ["fast", "0", "-1", "nan", "inf"])
def test_a_scale_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv("RIG_TIMEOUT_SCALE", text)
    with pytest.raises(ConfigError, match="RIG_TIMEOUT_SCALE"):
        timeout_scale()
