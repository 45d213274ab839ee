"""What all tests share: their order, what is put off to `make test-full`, and that with
--rig-strict no test is left out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

ORDER = ("unit", "emulated", "faults", "full")
"""Folders, the quick ones first; faults are serial and count what is left behind at the end."""

FULL = os.environ.get("RIG_FULL") == "1"
_DEFERRED = pytest.StashKey[list[str]]()


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_DEFERRED] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sorts by folder, and leaves out tests/full unless it is asked for."""
    items.sort(key=lambda item: ORDER.index(_folder(item)))
    if FULL:
        return
    deferred = [item for item in items if _folder(item) == "full"]
    if not deferred or len(deferred) == len(items):  # named on the command line: as asked
        return
    config.stash[_DEFERRED] = [item.nodeid for item in deferred]
    items[:] = [item for item in items if _folder(item) != "full"]
    config.hook.pytest_deselected(items=deferred)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With --rig-strict what is skipped fails, also where no fixture of rig is used."""
    report = yield
    why = report.longrepr  # a traceback where a failure that was expected counts as skipped
    if report.skipped and isinstance(why, tuple) and item.config.getoption("--rig-strict"):
        report.outcome = "failed"
        report.longrepr = f"{why[2]} (--rig-strict)"
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    deferred = config.stash[_DEFERRED]
    if deferred:
        terminalreporter.section("deferred to make test-full")
        counts = Counter(nodeid.split("[")[0] for nodeid in deferred)
        for name, count in counts.items():
            terminalreporter.write_line(f"deferred: {name} ({count})")
