"""pytest hooks: cores under test as items, one a check and cell.

Nothing here runs, and nothing of rig is imported, until a test asks for a ``rig_*`` fixture.
A test that takes ``rig_check`` is repeated for every check of every cell::

    def test_core(rig_check):
        rig_check.require()
"""

# ruff: noqa: PLC0415 - an installed plugin that is not used must cost nothing

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rig.lab import Lab
    from rig.pytest_support import CellUnderTest, CheckUnderTest, Matrix

_MATRIX = pytest.StashKey["Matrix"]()


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
        help="a built-in core's name or a C file; may be repeated (default: all built in)",
    )
    group.addoption("--rig-profile", metavar="NAME", help="flags of the core (default: kernel)")
    group.addoption(
        "--rig-engine",
        choices=("docker", "host"),
        default="docker",
        help="where commands run (default: docker)",
    )
    group.addoption(
        "--rig-seed", type=int, default=1, metavar="N", help="of every random choice"
    )
    group.addoption(
        "--rig-strict",
        action="store_true",
        help="fail, not skip, what the engine or a core's interface leaves out",
    )


def _matrix(config: pytest.Config) -> Matrix:
    """Cells and checks that the options choose; made once, without an engine."""
    from rig.errors import RigError
    from rig.pytest_support import Matrix

    if _MATRIX not in config.stash:
        try:
            config.stash[_MATRIX] = Matrix.of(config)
        except RigError as error:
            raise pytest.UsageError(f"rig: {error}") from error
    return config.stash[_MATRIX]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item a cell for ``rig_cell``, and a check for ``rig_check``; ids are cells."""
    names = metafunc.fixturenames
    if "rig_cell" in names or "rig_check" in names:
        cells = _matrix(metafunc.config).cells
        # the scope keeps the items of a cell together, and with them its one guest
        metafunc.parametrize(
            "rig_cell", cells, ids=[cell.id for cell in cells], indirect=True, scope="session"
        )
    if "rig_check" in names:
        checks = _matrix(metafunc.config).checks
        metafunc.parametrize(
            "rig_check", checks, ids=[check.name for check in checks], indirect=True
        )


@pytest.fixture(scope="session")
def rig_lab(pytestconfig: pytest.Config) -> Iterator[Lab]:
    """The lab of this session: engine, images, objects, guests. Closed at its end."""
    from rig.pytest_support import open_lab

    with open_lab(pytestconfig) as lab:
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
def rig_guest(rig_cell: CellUnderTest) -> Any:
    """The cell's guest in conversation: ``rig_guest.hash(b"abc", digest_size=32)``."""
    return rig_cell.public_guest


@pytest.fixture
def rig_check(request: pytest.FixtureRequest, rig_cell: CellUnderTest) -> CheckUnderTest:
    """One check of one cell: ``.run()`` gives its findings, ``.require()`` judges them."""
    from rig.pytest_support import CheckUnderTest

    return CheckUnderTest(request.param, rig_cell)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """What was chosen, where anything of rig was."""
    if _MATRIX not in config.stash:
        return []
    return [config.stash[_MATRIX].header(config)]
