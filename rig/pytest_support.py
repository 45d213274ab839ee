"""What the pytest plugin's fixtures stand on; imported when the first of them is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import NoReturn, Self

import pytest

from rig import catalog, sources
from rig.build import Built
from rig.cases import Case, Pair64, compress_case, hash_case
from rig.checks import Check, all_checks
from rig.cli.options import CPUS
from rig.errors import EnvironmentFault, GuestRefused
from rig.guest import Fault, Guest
from rig.judging import CellSubject, acquit, measure, run_check, subject_of, worst
from rig.lab import BuildRefused, Lab, open_engine
from rig.model import Cell
from rig.report.layout import clean
from rig.store import Store
from rig.streams import literal
from rig.verdicts import VERDICTS, Blame, Finding, Measurement, Verdict


@dataclass(frozen=True)
class Matrix:
    """Cells and checks that a session's options choose."""

    known: catalog.Catalog
    cells: Sequence[Cell]
    checks: Sequence[Check]
    seed: int
    strict: bool

    @classmethod
    def of(cls, config: pytest.Config) -> Matrix:
        """Reads the options; needs no engine. Raises UsageError with near names."""
        known = catalog.load()
        names = config.getoption("--rig-core") or known.core_names()
        setups = known.setups(config.getoption("--rig-on"), config.getoption("--rig-profile"))
        cores = sources.load_all(names, known)
        return cls(
            known=known,
            cells=[Cell(setup, core) for setup in setups for core in cores],
            checks=all_checks(),
            seed=config.getoption("--rig-seed"),
            strict=config.getoption("--rig-strict"),
        )

    def header(self, config: pytest.Config) -> str:
        return (
            f"rig: {len(self.cells)} cells, {len(self.checks)} checks, "
            f"engine {config.getoption('--rig-engine')}, seed {self.seed}"
        )


@contextmanager
def open_lab(config: pytest.Config) -> Iterator[Lab]:
    """A lab on the engine that the options name; without one its tests skip, or fail."""
    store = Store()
    known = catalog.load()
    try:
        engine = open_engine(config.getoption("--rig-engine"), known, store.root)
    except EnvironmentFault as error:
        _leave_out(str(error), strict=config.getoption("--rig-strict"))
    with Lab(known, engine, store, lambda _event: None, CPUS) as lab:
        yield lab


def _leave_out(reason: str, *, strict: bool) -> NoReturn:
    """Ends a test that nothing can be said of: skipped for this reason, or failed."""
    reason = clean(f"rig: {reason}")
    if strict:
        pytest.fail(f"{reason} (--rig-strict)", pytrace=False)
    pytest.skip(reason)


class CellUnderTest:
    """A core on a setup: built when first asked, with one guest for all tests of it."""

    def __init__(self, cell: Cell, lab: Lab, matrix: Matrix) -> None:
        self.cell = cell
        self.lab = lab
        self.matrix = matrix
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    @property
    def id(self) -> str:
        return self.cell.id

    @cached_property
    def built(self) -> Built:
        """Object, program and what the tools said; builds the target's other cells too."""
        target = self.cell.setup.target.name
        same_image = [c for c in self.matrix.cells if c.setup.target.name == target]
        try:
            self.lab.build(same_image)
            return self.lab.built(self.cell)
        except BuildRefused as error:
            refused = error.refused
            pytest.fail(
                clean_text(f"{error}\n{' '.join(refused.command)}\n{refused.output}"),
                pytrace=False,
            )
        except EnvironmentFault as error:
            _leave_out(str(error), strict=self.matrix.strict)

    @property
    def object(self) -> bytes:
        """The ELF object that is measured."""
        return self.built.object

    @cached_property
    def measurements(self) -> dict[str, Measurement]:
        """Exact figures by name: ``size``, ``frame``, ..."""
        return {figure.name: figure for figure in measure(self.cell, self.built, self.lab)}

    @cached_property
    def guest(self) -> Guest:
        """The supervised guest of this cell."""
        assert self.built
        guest = self._closing.enter_context(self.lab.guest(self.cell))
        self._closing.callback(self.lab.count_guest, guest)
        return guest

    @cached_property
    def subject(self) -> CellSubject:
        return subject_of(self.cell, self.lab, self.guest, self.matrix.seed, long=False)

    @property
    def public_guest(self) -> PublicGuest:
        return PublicGuest(self.guest)


class CheckUnderTest:
    """One check of one cell."""

    def __init__(self, check: Check, cell: CellUnderTest) -> None:
        self.check = check
        self.cell = cell

    def run(self) -> list[Finding]:
        """All findings; a guest that cannot be started is one."""
        try:
            assert self.cell.built
            return run_check(self.check, self.cell.subject)
        except GuestRefused as error:
            return [Finding("start", Verdict(error.verdict), error.what)]

    def require(self) -> None:
        """Passes, fails with the smallest case, or skips what was not covered, with reason."""
        findings = self.run()
        found = worst(findings)
        strict = self.cell.matrix.strict
        if found is not None:
            found = acquit(found, self.cell.cell, self.cell.lab)
            if VERDICTS[found.verdict].blame is Blame.CORE:
                pytest.fail(self._text(found), pytrace=False)
            _leave_out(self._text(found), strict=strict)
        left_out = [f for f in findings if f.verdict is not Verdict.PASS]
        if left_out and (strict or len(left_out) == len(findings)):
            _leave_out(self._text(left_out[0]), strict=strict)

    def _text(self, found: Finding) -> str:
        lines = [f"{self.cell.id}: {found.verdict} in {found.check}: {found.message}"]
        if found.case:
            lines += [f"case     {found.case}", f"expected {found.expected}"]
            lines += [f"got      {found.got}"]
            core, setup = self.cell.cell.core, self.cell.cell.setup
            spec = core.name if core.origin.startswith("built in") else core.origin
            lines += [f"again    rig check {spec} --on {setup.id} --case '{found.case}'"]
        return clean_text("\n".join(lines))


def clean_text(text: str) -> str:
    """Several lines, control bytes made visible."""
    return "\n".join(clean(line) for line in text.split("\n"))


class PublicGuest:
    """A guest for tests: bytes in, bytes out; AssertionError for what is no answer."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def hash(
        self, data: bytes, *, digest_size: int = 64, key: bytes = b"", cut: Sequence[int] = ()
    ) -> bytes:
        """The digest of ``data``; ``cut`` are the lengths of all pieces but the last."""
        case = hash_case(literal(data), n=digest_size, key=literal(key), cut=cut)
        return bytes.fromhex(self._one(case))

    def compress(
        self,
        h: bytes,
        blocks: bytes,
        *,
        t: Pair64 = (0, 0),
        f: Pair64 = (0, 0),
        inc: int = 128,
    ) -> tuple[bytes, bytes, bytes]:
        """Folds blocks into a raw state: (h, t, f) afterwards, little-endian words."""
        case = compress_case(literal(h), literal(blocks), t=t, f=f, inc=inc)
        new_h, new_t, new_f = map(bytes.fromhex, self._one(case).split(","))
        return new_h, new_t, new_f

    def ask(self, lines: Iterable[str]) -> list[str]:
        """Answers to cases as written on the wire (docs/wire.md), many in flight."""
        cases = [Case(line) for line in lines]
        outcomes = self._guest.ask(case.line for case in cases)
        return [self._payload(c, o) for c, o in zip(cases, outcomes, strict=True)]

    def _one(self, case: Case) -> str:
        return self.ask([case.line])[0]

    @staticmethod
    def _payload(case: Case, outcome: object) -> str:
        if isinstance(outcome, Fault):
            raise AssertionError(f"{case.line}: {outcome.verdict}: {outcome.text}")
        assert getattr(outcome, "ok", False), f"{case.line}: err {outcome}"
        return str(getattr(outcome, "payload", ""))
