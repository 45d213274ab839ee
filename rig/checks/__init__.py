"""Checks: each asks a core some kind of question and says what it found.

A check is a module of this package with a constant ``CHECK``; adding a module adds a check.
Checks see a :class:`Subject` and nothing of engines, containers or QEMU.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from rig.cases import Case
from rig.model import Setup
from rig.oracle import Oracle
from rig.verdicts import Finding, Verdict


class Reply(Protocol):
    """A guest's answer. payload: that of a good reply, or the reason after ``err``."""

    @property
    def ok(self) -> bool: ...
    @property
    def payload(self) -> str: ...


class Fault(Protocol):
    """What became of a case that got no answer."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def text(self) -> str: ...


class Subject(Protocol):
    """A core under test, as a check sees it.

    features: of the guest's hello. object_: the ELF file that is measured. externals: symbols
    that the adapter gives to the core. seed: of every random choice. long: take the minutes.
    """

    @property
    def oracle(self) -> Oracle: ...
    @property
    def seed(self) -> int: ...
    @property
    def features(self) -> frozenset[str]: ...
    @property
    def object_(self) -> bytes: ...
    @property
    def externals(self) -> frozenset[str]: ...
    @property
    def setup(self) -> Setup: ...
    @property
    def long(self) -> bool: ...

    def ask(self, cases: Iterable[Case]) -> Iterable[Reply | Fault]:
        """One outcome a case, in order."""
        ...


@dataclass(frozen=True)
class Check:
    """One kind of test of a core.

    catches: the faults that it is there for, in one sentence. needs: features without which a
    part or all of it is NOT_COVERED. order: cheapest first. run: yields one finding or more.
    """

    name: str
    catches: str
    order: int
    run: Callable[[Subject], Iterator[Finding]]
    needs: frozenset[str] = frozenset()


def all_checks() -> tuple[Check, ...]:
    """Every check of this package, cheapest first."""
    found = []
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        check = getattr(importlib.import_module(module.name), "CHECK", None)
        if check is not None:
            found.append(check)
    return tuple(sorted(found, key=lambda check: (check.order, check.name)))
