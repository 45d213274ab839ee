"""A supervised guest: whatever one case does, every other case is answered."""

import shutil

import pytest
from conversing import HASTY, I386, IDENTITY, READY, case, digest, fake_guest, open_fake

from rig.engines.host import HostEngine
from rig.errors import GuestRefused
from rig.guest import Guest, Identity
from rig.model import Limits
from rig.runners.qemu_user import QemuUser
from rig.verdicts import Verdict
from rig.wire import Reply

BATCH = 8
COUNT = 3 * BATCH
CASES = [case(seed) for seed in range(COUNT)]
POSITIONS = [0, 3, BATCH - 1, BATCH, COUNT - 1]
FAULTS = {
    "crash": Verdict.EMULATOR_FAULT,  # no emulator here that would tell of the guest's signal
    "killed": Verdict.ENVIRONMENT,
    "exit": Verdict.GUEST_CRASH,
    "exit3": Verdict.GUEST_CRASH,
    "partial": Verdict.GUEST_CRASH,
    "hang": Verdict.TIMEOUT,
    "partial-hang": Verdict.TIMEOUT,
    "flood": Verdict.DESYNC,
    "crc": Verdict.DESYNC,
    "stray": Verdict.DESYNC,
    "stray-line": Verdict.DESYNC,
    "control": Verdict.DESYNC,
    "missing": Verdict.DESYNC,
    "other": Verdict.DESYNC,
    "frame": Verdict.DESYNC,
}


def ask(*arguments, cases=CASES, **options):
    options = {"batch": BATCH, "confirm": False, "patience": HASTY} | options
    with fake_guest(*arguments, **options) as guest:
        return list(guest.ask(cases)), guest


def answers(outcomes):
    return [outcome.payload if isinstance(outcome, Reply) else None for outcome in outcomes]


def expected(*faulty):
    return [None if seed in faulty else digest(seed) for seed in range(COUNT)]


def test_every_case_is_answered_in_order_by_one_session():
    outcomes, guest = ask()
    assert answers(outcomes) == expected()
    assert (guest.sessions, guest.asked) == (1, COUNT)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(("fault", "verdict"), FAULTS.items())
def test_a_fault_hits_one_case_and_the_rest_is_answered(fault, verdict, position):
    outcomes, guest = ask(f"{fault}@{position}")
    assert answers(outcomes) == expected(position)
    assert outcomes[position].verdict is verdict
    assert (guest.sessions, guest.asked) == (2 if position < COUNT - 1 else 1, COUNT)


def test_faults_at_several_places_are_told_apart():
    faults = ("crc@2", "exit@3", "missing@12", f"stray@{COUNT - 1}")
    outcomes, guest = ask(*faults, confirm=True)
    assert answers(outcomes) == expected(2, 3, 12, COUNT - 1)
    assert [outcomes[seed].verdict for seed in (2, 3, 12)] == [
        Verdict.DESYNC,
        Verdict.GUEST_CRASH,
        Verdict.DESYNC,
    ]
    assert guest.sessions == 1 + 2 * 3 + 1


def test_a_guest_that_fails_again_and_again_is_given_up():
    outcomes, guest = ask(*(f"exit3@{seed}" for seed in range(2, COUNT)), give_up=3)
    assert answers(outcomes[:2]) == expected()[:2]
    assert [outcome.verdict for outcome in outcomes[2:5]] == [Verdict.GUEST_CRASH] * 3
    assert {outcome.verdict for outcome in outcomes[5:]} == {Verdict.SKIPPED}
    assert outcomes[-1].text.startswith("gave up after 3 faults: last GUEST_CRASH: it exited")
    assert (guest.sessions, guest.asked) == (3, 5)


@pytest.mark.parametrize("fault", ["exit3", "crc", "hang"])
def test_a_fault_that_does_not_come_again_is_unstable(fault):
    outcomes, guest = ask(f"{fault}?@5", confirm=True)
    assert answers(outcomes) == expected(5)
    assert outcomes[5].verdict is Verdict.UNSTABLE
    assert outcomes[5].text.endswith("alone in a fresh session it answers")
    assert guest.sessions == 2


@pytest.mark.parametrize("fault", ["exit3", "crc"])
def test_a_fault_that_comes_again_is_the_cores(fault):
    outcomes, guest = ask(f"{fault}@5", confirm=True)
    assert answers(outcomes) == expected(5)
    assert outcomes[5].verdict is FAULTS[fault]
    assert guest.sessions == 3


def test_what_went_wrong_after_the_last_answer_is_laid_to_the_last_case():
    outcomes, _ = ask("exit3@sync", cases=CASES[:BATCH])
    assert answers(outcomes) == expected()[: BATCH - 1] + [None]


def test_what_a_fault_shows_can_be_printed_anywhere():
    outcomes, _ = ask("exit3@1", "control@2")
    for outcome in outcomes[1:3]:
        shown = outcome.text + outcome.stderr
        assert shown.isascii()
        assert shown.replace("\n", "").isprintable()
    assert outcomes[1].stderr == r"giving up\x1b[31m\x00"
    assert r"\x00\x1b[2J\xff" in outcomes[2].text


def test_cases_are_taken_in_as_they_are_needed():
    taken = []

    def endless():
        seed = 0
        while True:
            taken.append(seed)
            yield case(seed)
            seed += 1

    with fake_guest(batch=BATCH) as guest:
        outcomes = guest.ask(endless())
        assert next(outcomes).payload == digest(0)
        assert len(taken) <= BATCH + 1
        # The first questioner is left in the middle; another one gets its own answers.
        assert answers(guest.ask([case(77)])) == [digest(77)]
        assert next(outcomes).payload == digest(1)


def test_a_batch_is_bounded_in_bytes():
    blob = "nonsense " + "x" * 60_000
    with fake_guest() as guest:
        outcomes = list(guest.ask([blob, case(1), blob, blob, case(2)]))
    assert [outcome.ok for outcome in outcomes] == [False, True, False, False, True]


def test_a_start_that_fails_once_is_tried_again(tmp_path):
    outcomes, guest = ask(f"hello:once={tmp_path}/been-there")
    assert answers(outcomes) == expected()
    assert guest.sessions == 2


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ("crash", "SIGSEGV"),
        ("exit", "not found: cannot open shared object"),
        ("stray", "warning: something"),
        ("version", "protocol 2"),
    ],
)
def test_a_guest_that_cannot_be_started_is_refused(start, why):
    with fake_guest(f"hello:{start}") as guest:
        with pytest.raises(GuestRefused, match=f"could not be started.*{why}"):
            next(guest.ask(CASES))
        assert guest.sessions == 2


@pytest.mark.skipif(shutil.which("qemu-i386") is None, reason="not installed: qemu-i386")
@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "No such file or directory"),
        ({"guest": b"no ELF file"}, "Exec format error"),
    ],
)
def test_a_program_that_the_emulator_cannot_load_is_no_fault_of_a_core(files, why):
    runner = QemuUser(I386)

    def open_channel():
        return HostEngine().open(READY, runner.argv("guest"), files, Limits())

    with Guest(open_channel, runner, IDENTITY) as guest, pytest.raises(GuestRefused) as caught:
        next(guest.ask(CASES))
    silent = "missing, not executable, or no ELF file"  # QEMU 7.2
    assert why in caught.value.what or silent in caught.value.what
    assert caught.value.verdict == Verdict.ENVIRONMENT


@pytest.mark.parametrize(
    ("identity", "wanted", "found"),
    [
        (Identity("arm32", 32, "little", "rolled"), "target arm32", "target i386"),
        (Identity("i386", 64, "little", "rolled"), "bits 64", "bits 32"),
        (Identity("i386", 32, "big", "rolled"), "order big", "order little"),
        (Identity("i386", 32, "little", "unrolled"), "core unrolled", "core rolled"),
        (
            Identity("i386", 32, "little", "rolled", "f" * 16),
            "build ffffffffffffffff",
            "build 0123456789abcdef",
        ),
    ],
)
def test_a_guest_of_another_cell_is_refused(identity, wanted, found):
    with (
        Guest(open_fake, QemuUser(I386), identity) as guest,
        pytest.raises(GuestRefused, match=f"refused: wanted .*{wanted}; found {found}"),
    ):
        next(guest.ask(CASES))


def test_any_build_will_do_where_none_is_named():
    identity = Identity("i386", 32, "little", "rolled")
    with Guest(open_fake, QemuUser(I386), identity) as guest:
        assert guest.hello.build == IDENTITY.build


def test_no_process_is_left_after_an_interruption():
    channels = []

    def open_channel():
        channels.append(open_fake())
        return channels[-1]

    class Interrupt(BaseException):
        """Stands for Ctrl-C in the middle of a batch."""

    def interrupted():
        yield from CASES[: BATCH + 3]
        raise Interrupt

    with Guest(open_channel, QemuUser(I386), IDENTITY, batch=BATCH) as guest:
        outcomes = guest.ask(interrupted())
        assert answers(next(outcomes) for _ in range(BATCH)) == expected()[:BATCH]
        with pytest.raises(Interrupt):
            next(outcomes)
    ended = channels[0].close()
    assert ended.code == 0
    assert channels[0].read(1, 0) == b""


def test_close_without_a_session_is_nothing():
    assert fake_guest().close() is None
