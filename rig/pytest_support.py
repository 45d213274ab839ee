"""What the pytest plugin's fixtures stand on; imported when the first of them is used."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from types import TracebackType
from typing import NoReturn, Self

import pytest

from rig.budgets import CHECK as BUDGET
from rig.budgets import Budget
from rig.budgets import judge as judge_budgets
from rig.build import Built
from rig.checks import Check
from rig.errors import EnvironmentFault, GuestRefused, RigError
from rig.guest import Guest
from rig.judging import CellSubject, acquit, measure, run_check, subject_of, traced, worst
from rig.lab import BuildRefused, Lab, open_engine
from rig.machine import CPUS
from rig.model import Cell, Pair
from rig.pytest_guest import PublicGuest
from rig.pytest_matrix import Matrix, budget_of
from rig.report.layout import clean
from rig.store import Store
from rig.verdicts import VERDICTS, Blame, Finding, Measurement, Verdict


@contextmanager
def open_lab(config: pytest.Config, matrix: Matrix) -> Iterator[Lab]:
    """A lab on the session's engine; without one its tests skip, or fail."""
    store = Store()
    try:
        engine = open_engine(matrix.engine, matrix.known, store.root)
    except EnvironmentFault as error:
        leave_out(str(error), strict=matrix.strict)
    jobs = max(1, CPUS // workers(config))
    with Lab(matrix.known, engine, store, lambda _event: None, jobs) as lab:
        yield lab


def leave_out(reason: str, *, strict: bool) -> NoReturn:
    """Ends a test that nothing can be said of: skipped for this reason, or failed.

    Whatever bytes the reason holds, what is told is printable ASCII.
    """
    reason = clean("rig: " + " ".join(line.strip() for line in reason.split("\n")))
    if strict:
        pytest.fail(f"{reason} (--rig-strict)", pytrace=False)
    pytest.skip(reason)


def workers(config: pytest.Config) -> int:
    """How many of xdist's workers run beside this one, itself included."""
    return int(getattr(config, "workerinput", {}).get("workercount", 1))


def refuse_company(config: pytest.Config) -> None:
    """Leaves a test out that must be alone, where other workers run."""
    if workers(config) > 1:
        text = f"rig_alone: {workers(config)} workers run beside each other; leave out -n"
        leave_out(text, strict=config.getoption("--rig-strict"))


def sweep_boxes(config: pytest.Config) -> None:
    """Removes boxes of processes that run no more; what cannot be asked is left alone."""
    if config.getoption("--rig-engine") == "host":
        return
    from rig.engines.clean import sweep  # noqa: PLC0415 - docker loads slowly
    from rig.engines.connect import connect  # noqa: PLC0415

    with suppress(RigError):
        client = connect()
        try:
            sweep(client, force=False)
        finally:
            client.close()


def require_budgets(item: pytest.Item) -> None:
    """Holds the cell of an item against its ``rig_budget`` markers."""
    funcargs: dict[str, object] = getattr(item, "funcargs", {})
    for name in ("rig_cell", "rig_pair"):
        subject = funcargs.get(name)
        cell = subject.after if isinstance(subject, PairUnderTest) else subject
        if isinstance(cell, CellUnderTest):
            budgets = [budget_of(marker) for marker in item.iter_markers("rig_budget")]
            judge_findings(cell.judge(budgets), cell, lambda one: clean(one.message))


def rest(item: pytest.Item) -> None:
    """Ends the guests of an item's cells: a box that only waits is taken from others."""
    funcargs: dict[str, object] = getattr(item, "funcargs", {})
    for subject in (funcargs.get("rig_cell"), funcargs.get("rig_pair")):
        if isinstance(subject, CellUnderTest | PairUnderTest):
            subject.rest()


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
        try:
            self.lab.build_for(self.cell, self._same_image)
            return self.lab.built(self.cell)
        except BuildRefused as error:
            refused = error.refused
            pytest.fail(
                clean_text(f"{error}\n{' '.join(refused.command)}\n{refused.output}"),
                pytrace=False,
            )
        except EnvironmentFault as error:
            leave_out(str(error), strict=self.matrix.strict)

    @property
    def _same_image(self) -> list[Cell]:
        """The cells that are best built together with this one, itself included."""
        target = self.cell.setup.target.name
        same = [c for c in self.matrix.cells if c.setup.target.name == target]
        return same if self.cell in same else [self.cell]

    @property
    def is_built(self) -> bool:
        """Whether object and program are there by now."""
        return "built" in self.__dict__

    @property
    def engine(self) -> str:
        """The engine in one line."""
        return self.lab.engine.describe()

    @property
    def object(self) -> bytes:
        """The ELF object that is measured."""
        return self.built.object

    @cached_property
    def measurements(self) -> Figures:
        """Exact figures by name: ``size``, ``frame``; from a trace: ``work``, ``stack``, ..."""
        return Figures(self._from_object, self._from_trace)

    @property
    def measured(self) -> Mapping[str, Measurement]:
        """Figures that are there by now; nothing is traced for it."""
        return self.measurements.so_far

    def judge(self, budgets: Iterable[Budget]) -> list[Finding]:
        """Findings of those budgets that are meant for this cell."""
        return judge_budgets(
            budgets, self.cell.setup.id, self.cell.core.name, self.measurements
        )

    def _from_object(self) -> tuple[Measurement, ...]:
        return measure(self.cell, self.built, self.lab)

    def _from_trace(self) -> tuple[Measurement, ...]:
        return traced(self.cell, self.lab, frozenset(self.guest.hello.features))

    @cached_property
    def guest(self) -> Guest:
        """The supervised guest of this cell."""
        assert self.built
        guest = self._closing.enter_context(self.lab.guest(self.cell))
        self._closing.callback(self.lab.count_guest, guest)
        return guest

    def rest(self) -> None:
        """Ends the guest's process; it is started again when something is asked again."""
        if "guest" in self.__dict__:
            self.guest.close()

    @cached_property
    def subject(self) -> CellSubject:
        return subject_of(self.cell, self.lab, self.guest, self.matrix.seed, long=False)

    @property
    def public_guest(self) -> PublicGuest:
        return PublicGuest(self.guest)


class Figures(Mapping[str, Measurement]):
    """Measurements by name; the trace is taken when a name is not among those of the object."""

    def __init__(self, *makers: Callable[[], Iterable[Measurement]]) -> None:
        self._makers = list(makers)
        self._found: dict[str, Measurement] = {}
        self._more()

    def __getitem__(self, name: str) -> Measurement:
        while name not in self._found and self._makers:
            self._more()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        while self._makers:
            self._more()
        return iter(self._found)

    def __len__(self) -> int:
        return len(list(iter(self)))

    @property
    def so_far(self) -> Mapping[str, Measurement]:
        """What is there by now."""
        return self._found

    def _more(self) -> None:
        for figure in self._makers.pop(0)():
            self._found.setdefault(figure.name, figure)


class PairUnderTest:
    """Two cores on a setup."""

    def __init__(self, pair: Pair, lab: Lab, matrix: Matrix) -> None:
        self.pair = pair
        self.before = CellUnderTest(Cell(pair.setup, pair.before), lab, matrix)
        self.after = CellUnderTest(Cell(pair.setup, pair.after), lab, matrix)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for cell in (self.after, self.before):
            cell.__exit__(kind, error, trace)

    def rest(self) -> None:
        """As that of a cell, for both."""
        self.before.rest()
        self.after.rest()

    @property
    def id(self) -> str:
        return self.pair.id

    def ratio(self, name: str) -> float:
        """How an exact figure changed, after / before. Fails the test if not measured."""
        before, after = (cell.measurements.get(name) for cell in (self.before, self.after))
        if before is None or after is None or not before.value or after.value is None:
            pytest.fail(clean(f"rig: {self.id}: {name} was not measured"), pytrace=False)
        return after.value / before.value


class CheckUnderTest:
    """One check of one cell."""

    def __init__(self, check: Check, cell: CellUnderTest) -> None:
        self.check = check
        self.cell = cell

    def run(self) -> list[Finding]:
        """All findings; a guest that cannot be started is one."""
        if self.check.name == BUDGET:
            return self.cell.judge(self.cell.matrix.project.budgets)
        try:
            assert self.cell.built
            return run_check(self.check, self.cell.subject)
        except GuestRefused as error:
            return [Finding("start", Verdict(error.verdict), error.what)]

    def require(self) -> None:
        """Passes, fails with the smallest case, or skips what was not covered, with reason."""
        judge_findings(self.run(), self.cell, self._text)

    def _text(self, found: Finding) -> str:
        message = found.message or VERDICTS[found.verdict].meaning
        lines = [f"{self.cell.id}: {found.verdict} in {found.check}: {message}"]
        if found.case:
            lines += [f"case     {found.case}", f"expected {found.expected}"]
            lines += [f"got      {found.got}", f"again    {self._again(found.case)}"]
        return clean_text("\n".join(lines))

    def _again(self, case: str) -> str:
        """The command that asks this one case again."""
        core, setup = self.cell.cell.core, self.cell.cell.setup
        spec = core.name if core.origin.startswith("built in") else core.origin
        words = ["rig", "check", spec, "--on", setup.id]
        if self.cell.matrix.engine != "docker":
            words += ["--engine", self.cell.matrix.engine]
        return shlex.join([*words, "--case", case])


def judge_findings(
    findings: Sequence[Finding], cell: CellUnderTest, text: Callable[[Finding], str]
) -> None:
    """Ends a test by its findings: fails, skips with the reason, or lets it pass."""
    strict = cell.matrix.strict
    found = worst(findings)
    if found is not None:
        if found.check != BUDGET:  # an exact figure: no control core can explain it
            found = acquit(found, cell.cell, cell.lab)
        if VERDICTS[found.verdict].blame is Blame.CORE:
            pytest.fail(text(found), pytrace=False)
        leave_out(text(found), strict=strict)
    left_out = [f for f in findings if f.verdict is not Verdict.PASS]
    if left_out and (strict or len(left_out) == len(findings)):
        leave_out(text(left_out[0]), strict=strict)


def clean_text(text: str) -> str:
    """Several lines, control bytes made visible."""
    return "\n".join(clean(line) for line in text.split("\n"))
