"""A supervised guest: any number of cases in, one reply or one fault for each out, in order.

When a session ends early, the first case without an answer gets the blame, a fresh session
takes over with the next one, and after a few faults the guest is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rig.engines import Channel
from rig.errors import EnvironmentFault, GuestRefused
from rig.model import Exit
from rig.patience import Patience
from rig.printable import printable
from rig.runners import Explanation, Runner
from rig.session import Kind, Session, SessionFault
from rig.verdicts import Verdict
from rig.wire import Hello, Reply

BATCH_CASES = 256
BATCH_BYTES = 64 << 10
"""Command bytes in flight; one longer case goes alone."""

GIVE_UP = 5
_ATTEMPTS = 2  # to start a session: the second is for a machine that stumbled

_CONFIRMED = {Verdict.GUEST_CRASH, Verdict.TIMEOUT, Verdict.DESYNC}
"""What is tried once more, alone, before a core is blamed for it."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a guest must say it is. build: empty if any will do."""

    target: str
    bits: int
    order: str
    core: str
    build: str = ""

    def mismatch(self, hello: Hello) -> str:
        """``refused: wanted ... found ...``, or nothing."""
        names = ["target", "bits", "order", "core"] + (["build"] if self.build else [])
        wrong = [name for name in names if getattr(self, name) != getattr(hello, name)]
        if not wrong:
            return ""
        wanted = ", ".join(f"{name} {getattr(self, name)}" for name in wrong)
        found = ", ".join(f"{name} {getattr(hello, name)}" for name in wrong)
        return f"refused: wanted a guest of {wanted}; found {found}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A case without an answer. text: one line. stderr: printable tail of the guest's.

    exit: None where no process ended for it (a case skipped).
    """

    verdict: Verdict
    text: str
    exit: Exit | None = None
    stderr: str = ""


class Relay:
    """A box that runs several programs, act after act, handed on from guest to guest.

    status: of the exit upon which the box runs the next program. Not for several threads.
    """

    def __init__(self, status: int) -> None:
        self.status = status
        self._session: Session | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if session := self.take():
            session.close()

    def give(self, session: Session) -> None:
        """Keeps a session whose program has nothing more to answer."""
        self._session = session

    def take(self) -> Session | None:
        """The session that was given, once."""
        session, self._session = self._session, None
        return session


class Guest:
    """One program in conversation, however often it must be started again.

    sessions: opened so far. asked: cases answered or faulted so far, without those skipped.
    Not for several threads.
    """

    def __init__(
        self,
        open_channel: Callable[[], Channel],
        runner: Runner,
        identity: Identity,
        *,
        give_up: int = GIVE_UP,
        confirm: bool = True,
        patience: Patience | None = None,
        batch: int = BATCH_CASES,
        relay: Relay | None = None,
    ) -> None:
        """confirm: a case that ended its session is asked once more, alone. relay: where a
        channel runs more programs than this one; if it has a box, this program is next there.
        """
        self._open_channel = open_channel
        self._runner = runner
        self._identity = identity
        self._give_up = give_up
        self._confirm = confirm
        self._patience = patience
        self._batch = batch
        self._relay = relay
        self._session: Session | None = None
        self._faults = 0
        self._last = ""
        self._lost = ""
        self.sessions = 0
        self.asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> Exit | None:
        """Ends the session, if one is open, and says how it ended."""
        session, self._session = self._session, None
        return session.close() if session else None

    @property
    def hello(self) -> Hello:
        """What the guest says of itself. Raises GuestRefused when it cannot be started."""
        return self._ready().hello

    def ask(self, cases: Iterable[str]) -> Iterator[Reply | Fault]:
        """One reply or fault for each case, in order; takes cases in as they are needed.

        Raises GuestRefused when the guest cannot be started or is not the one wanted.
        """
        for batch in _batches(cases, self._batch):
            yield from self._answer(batch)

    def ask_next_act(self, cases: Sequence[str]) -> Sequence[Reply] | None:
        """Answers of the program that follows this one in its box, which then is handed on.

        None when there is no such program, or when it does not answer all: to find out why,
        ask it in a box of its own.
        """
        if self._relay is None or self._session is None:
            return None
        session, self._session = self._session, None
        try:
            session.next_act(self._relay.status)
            self.sessions += 1
            replies = session.ask(cases)
        except SessionFault:
            return None
        self.asked += len(replies)
        wrong = self._identity.mismatch(session.hello)
        self._relay.give(session)
        return None if wrong else replies

    def _answer(self, batch: Sequence[str]) -> Iterator[Reply | Fault]:
        while batch and not self._lost and self._faults < self._give_up:
            done = self._try(batch)
            self.asked += len(done)
            batch = batch[len(done) :]
            yield from done
        for _ in batch:
            text = f"gave up after {self._faults} faults: last {self._last}"
            yield Fault(Verdict.SKIPPED, self._lost or text)

    def _try(self, batch: Sequence[str]) -> Sequence[Reply | Fault]:
        """Answers to all of a batch, or to its beginning and one fault."""
        try:
            return self._converse(batch)
        except EnvironmentFault as error:
            if not self._faults:
                raise
            self._lost = error.what  # the case was not even asked
            return []
        except SessionFault as fault:
            return self._pin(batch, fault)

    def _pin(self, batch: Sequence[str], fault: SessionFault) -> Sequence[Reply | Fault]:
        """Replies up to the case that ended a session, and its fault.

        In bulk, replies are lost with a session: what has none is asked again, carefully.
        """
        answered = list(fault.replies)
        rest = batch[len(answered) :]
        if rest and not fault.careful:
            try:
                replies = self._converse(rest, careful=True)
            except EnvironmentFault as error:
                return [*answered, self._lose(error)]
            except SessionFault as again:
                answered += again.replies
                fault = again
            else:
                return [*answered, self._passed(fault), *replies[1:]]
        # What goes wrong between the last reply and the sync is laid to the last case.
        culprit = min(len(answered), len(batch) - 1)
        return [*answered[:culprit], self._judge(batch[culprit], fault)]

    def _passed(self, fault: SessionFault) -> Fault:
        """A fault that did not come again when the same cases were asked one by one."""
        verdict, text = self._explain(fault)
        if verdict in _CONFIRMED:
            verdict, text = Verdict.UNSTABLE, f"{text}; asked again, one by one, all answer"
        self._faults += 1
        self._last = f"{verdict}: {text}"
        return Fault(verdict, text, fault.exit, printable(fault.stderr))

    def _converse(self, batch: Sequence[str], *, careful: bool = False) -> Sequence[Reply]:
        session = self._ready(careful)
        try:
            return session.ask(batch)
        except SessionFault:
            self._session = None
            raise
        except BaseException:  # interrupted in the middle: what is in flight is unknown
            self.close()
            raise

    def _judge(self, case: str, fault: SessionFault) -> Fault:
        """What a fault means; asked alone, a case shows what it does without its neighbours."""
        verdict, text = self._explain(fault)
        from_outside = verdict is Verdict.ENVIRONMENT and not fault.exit.lost
        if self._confirm and (verdict in _CONFIRMED or from_outside):
            try:
                again = self._alone(case)
            except EnvironmentFault as error:
                return self._lose(error)
            if again is not None and self._explain(again).verdict in _CONFIRMED:
                fault = again
                verdict, text = self._explain(again)
            elif again is not None and from_outside and again.exit == fault.exit:
                # twice at one case is no chance: a core can send itself any signal
                verdict, text = Verdict.GUEST_CRASH, f"{text}, each time at this case"
            elif again is None and not from_outside:
                verdict, text = Verdict.UNSTABLE, f"{text}; alone in a fresh session it answers"
        self._faults += 1
        self._last = f"{verdict}: {text}"
        return Fault(verdict, text, fault.exit, printable(fault.stderr))

    def _lose(self, error: EnvironmentFault) -> Fault:
        """A fault that could not be confirmed: the guest cannot be started again."""
        self._lost = error.what
        verdict = Verdict.ENVIRONMENT
        if isinstance(error, GuestRefused):
            verdict = Verdict(error.verdict)
        return Fault(verdict, error.what)

    def _alone(self, case: str) -> SessionFault | None:
        """How a case fails in a fresh session, or None when it is answered."""
        try:
            self._converse([case])
        except SessionFault as fault:
            return fault
        return None

    def _explain(self, fault: SessionFault) -> Explanation:
        if fault.kind is Kind.CRASH or fault.exit.oom or fault.exit.lost:
            return self._runner.explain(fault.exit, fault.stderr, started=fault.started)
        if fault.kind is Kind.TIMEOUT:
            return Explanation(Verdict.TIMEOUT, fault.why)
        if not fault.started and not fault.exit.killed:
            # QEMU 10.0 says on standard output that it cannot load a program, and ends.
            said = fault.stderr + fault.why.encode("ascii", "replace")
            return self._runner.explain(fault.exit, said, started=False)
        return Explanation(Verdict.DESYNC, f"{fault.kind}: {fault.why}")

    def _ready(self, careful: bool = False) -> Session:
        if self._session is not None and careful and not self._session.careful:
            self.close()
        if self._session is None:
            self._session = self._start(careful)
        return self._session

    def _start(self, careful: bool) -> Session:
        handed = self._take_over(careful)
        if handed is not None:
            return handed
        for attempt in range(1, _ATTEMPTS + 1):
            channel = self._open_channel()
            self.sessions += 1
            try:
                session = Session(channel, self._patience, careful=careful)
                break
            except SessionFault as fault:
                if attempt == _ATTEMPTS:
                    raise self._unstartable(fault) from fault
        wrong = self._identity.mismatch(session.hello)
        if wrong:
            session.close()
            raise GuestRefused(wrong, "The program was built for another cell than this one.")
        return session

    def _take_over(self, careful: bool) -> Session | None:
        """A session in the box that another guest handed on; None where that fails, for only
        in a box of its own does a program show what is its own fault.
        """
        if self._relay is None:
            return None
        session = self._relay.take()
        if session is None:
            return None
        try:
            session.next_act(self._relay.status, careful=careful)
        except SessionFault:
            return None
        self.sessions += 1
        if self._identity.mismatch(session.hello):
            session.close()
            return None
        return session

    def _unstartable(self, fault: SessionFault) -> GuestRefused:
        verdict, text = self._explain(fault)
        return GuestRefused(
            f"the guest could not be started: {text}",
            detail=printable(fault.stderr),
            verdict=verdict,
        )


def _batches(cases: Iterable[str], most: int) -> Iterator[list[str]]:
    """Cases in lists, bounded in number and in bytes, each given out once it is full."""
    batch: list[str] = []
    size = 0
    for case in cases:
        if batch and (len(batch) == most or size + len(case) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(case)
        size += len(case)
    if batch:
        yield batch
