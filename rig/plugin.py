"""pytest hooks: cores under test as items, one a check and cell.

Nothing here runs, and nothing of rig is imported, until a test asks for a ``rig_*`` fixture.
A test that takes ``rig_check`` is repeated for every check of every cell::

    def test_core(rig_check):
        rig_check.require()
"""

# ruff: noqa: PLC0415 - an installed plugin that is not used must cost nothing

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rig.lab import Lab
    from rig.pytest_guest import PublicGuest
    from rig.pytest_matrix import Matrix
    from rig.pytest_summary import Summary
    from rig.pytest_support import CellUnderTest, CheckUnderTest, PairUnderTest
    from rig.verdicts import Measurement

_MATRIX = pytest.StashKey["Matrix"]()

MARKERS = (
    "rig_on(*globs): only on these setups, chosen as --rig-on does",
    "rig_feature(*names): only on setups that have all of these, such as bigendian, 32bit, gcc",
    "rig_budget(**limits): figures of the cell that may not be exceeded, such as size=4096",
    "rig_alone: never beside another such test on this machine, and not beside other workers",
)
_PARAMETRISED = ("rig_cell", "rig_pair")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rig", "cryptographic cores on emulated targets (rig)")
    group.addoption(
        "--rig-on",
        action="append",
        default=[],
        metavar="GLOB",
        help="setups: i386, 'i386/*', '*/clang', arm32/gcc/user, all; may be repeated",
    )
    group.addoption(
        "--rig-core",
        action="append",
        default=[],
        metavar="CORE",
        help="a name, or --rig-core=my.c; may be repeated (default: all of the project's)",
    )
    group.addoption("--rig-profile", metavar="NAME", help="flags of the core (default: kernel)")
    group.addoption(
        "--rig-engine",
        choices=("docker", "host"),
        help="where commands run (default: the project's, else docker)",
    )
    group.addoption(
        "--rig-seed", type=int, default=1, metavar="N", help="of every random choice"
    )
    group.addoption(
        "--rig-shard",
        default="",
        metavar="K/N",
        help="only the K-th of N parts; all parts together are every test once",
    )
    group.addoption(
        "--rig-strict",
        action="store_true",
        help="fail, not skip, what the engine or a core's interface leaves out",
    )


def pytest_configure(config: pytest.Config) -> None:
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Teller(), "rig-teller")


def _matrix(config: pytest.Config) -> Matrix:
    """Cells and checks that options and settings choose; made once, without an engine.

    What is wrong with them is an error of collection, not a traceback.
    """
    from rig.errors import RigError
    from rig.pytest_matrix import Matrix

    if _MATRIX not in config.stash:
        try:
            config.stash[_MATRIX] = Matrix.of(config)
        except RigError as error:
            raise pytest.Collector.CollectError(f"rig: {error}\n{error.detail}") from error
    return config.stash[_MATRIX]


# ----------------------------------------------------------------------------- collection


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item a cell for ``rig_cell``, a check for ``rig_check``, a pair for ``rig_pair``."""
    names = metafunc.fixturenames
    if not any(name in names for name in (*_PARAMETRISED, "rig_check")):
        if metafunc.definition.get_closest_marker("rig_budget"):
            text = f"{metafunc.definition.nodeid}: rig_budget needs a fixture of one cell"
            raise pytest.Collector.CollectError(f"rig: {text}, such as rig_cell")
        return
    matrix = _matrix(metafunc.config)
    from rig.pytest_matrix import parametrize

    parametrize(metafunc, matrix)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the items of other shards out; all shards together are every item once."""
    text = config.getoption("--rig-shard")
    if not text:
        return
    from rig.errors import UsageError
    from rig.pytest_matrix import in_shard

    try:
        kept, left_out = in_shard(items, text)
    except UsageError as error:
        raise pytest.UsageError(f"--rig-shard: {error}") from error
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """What was chosen, where anything of rig was."""
    return [config.stash[_MATRIX].header()] if _MATRIX in config.stash else []


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``-n`` alone, a cell is one worker's; another ``--dist`` is left as it is."""
    if config.getoption("dist") != "load":
        return None
    from rig.pytest_xdist import CellScheduling

    return CellScheduling(config, log)


# ------------------------------------------------------------------------------- fixtures


@pytest.fixture(scope="session")
def rig_lab(pytestconfig: pytest.Config) -> Iterator[Lab]:
    """The lab of this session: engine, images, objects, guests. Closed at its end."""
    from rig.pytest_support import open_lab

    with open_lab(pytestconfig, _matrix(pytestconfig)) as lab:
        yield lab


@pytest.fixture(scope="session")
def rig_cell(
    request: pytest.FixtureRequest, rig_lab: Lab, pytestconfig: pytest.Config
) -> Iterator[CellUnderTest]:
    """A core on a setup, built: ``.object``, ``.measurements``, ``.guest``."""
    from rig.pytest_support import CellUnderTest

    with CellUnderTest(request.param, rig_lab, _matrix(pytestconfig)) as cell:
        yield cell


@pytest.fixture
def rig_guest(rig_cell: CellUnderTest) -> PublicGuest:
    """The cell's guest in conversation: ``rig_guest.hash(b"abc", digest_size=32)``."""
    return rig_cell.public_guest


@pytest.fixture
def rig_object(rig_cell: CellUnderTest) -> bytes:
    """The cell's ELF object, the one that is measured."""
    return rig_cell.object


@pytest.fixture
def rig_measurements(rig_cell: CellUnderTest) -> Mapping[str, Measurement]:
    """The cell's exact figures by name; what needs a trace is traced when asked for."""
    return rig_cell.measurements


@pytest.fixture(scope="session")
def rig_pair(
    request: pytest.FixtureRequest, rig_lab: Lab, pytestconfig: pytest.Config
) -> Iterator[PairUnderTest]:
    """Two cores on a setup: ``.before`` and ``.after``, each like ``rig_cell``."""
    from rig.pytest_support import PairUnderTest

    with PairUnderTest(request.param, rig_lab, _matrix(pytestconfig)) as pair:
        yield pair


@pytest.fixture
def rig_check(request: pytest.FixtureRequest, rig_cell: CellUnderTest) -> CheckUnderTest:
    """One check of one cell: ``.run()`` gives its findings, ``.require()`` judges them."""
    from rig.pytest_support import CheckUnderTest

    return CheckUnderTest(request.param, rig_cell)


# ------------------------------------------------------------------------------ items run


def _is_ours(item: pytest.Item) -> bool:
    params = getattr(getattr(item, "callspec", None), "params", ())
    return any(name in params for name in _PARAMETRISED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Holds the lock of what must be alone, fixtures included."""
    if item.get_closest_marker("rig_alone") is None:
        return (yield)
    from rig.store import Store

    with Store().alone():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("rig_alone") is not None:
        from rig.pytest_support import refuse_company

        refuse_company(item.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    result = yield
    if _is_ours(item) and item.get_closest_marker("rig_budget"):
        from rig.pytest_support import require_budgets

        require_budgets(item)
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """No box stays for what is left of the session once no item of a cell follows."""
    if _is_ours(item) and not (nextitem is not None and _is_ours(nextitem)):
        from rig.pytest_support import rest

        rest(item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    if _is_ours(item):
        from rig.pytest_properties import describe

        describe(item, call.when)
    return (yield)


# ---------------------------------------------------------------------------- what is told


class _Teller:
    """Keeps what items of cells say, also those of xdist's workers; tells it at the end."""

    def __init__(self) -> None:
        self._summary: Summary | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ours = any(name == "rig.setup" for name, _ in report.user_properties)
        if not ours and not (report.skipped and "rig: " in str(report.longrepr)):
            return
        if self._summary is None:
            from rig.pytest_summary import Summary

            self._summary = Summary()
        self._summary.take(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tools, a table a cell, and why items were skipped."""
        if self._summary is not None:
            self._summary.show(terminalreporter)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Removes the boxes of a worker that died."""
        if error:
            from rig.pytest_support import sweep_boxes

            sweep_boxes(node.config)
