"""Makers of cases: every cell is asked the same, so what they make is made once and kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, overload

from rig.cases import Case
from rig.once import Once
from rig.store import key_of

P = ParamSpec("P")


class Cases(Sequence[Case]):
    """The cases of a maker, kept as their lines; made once, for all threads, when needed.

    key: a digest of the maker, its arguments and its package, the same in every process; who
    has kept the lines under it can :meth:`take` them instead of having them made.
    """

    def __init__(self, key: str, make: Callable[[], Iterable[Case]]) -> None:
        self.key = key
        self._make = make
        self._lines: Once[str, tuple[str, ...]] = Once()

    @property
    def lines(self) -> tuple[str, ...]:
        return self._lines.get("", lambda: tuple(case.line for case in self._make()))

    def take(self, lines: Iterable[str]) -> None:
        """Takes cases that were made before; nothing, if they have been made by now."""
        self._lines.get("", lambda: tuple(lines))

    def make(self) -> list[Case]:
        """The cases with their questions at hand, as their maker gives them."""
        made = list(self._make())
        self.take(case.line for case in made)
        return made

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Case]:
        return map(Case, self.lines)

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> list[Case]: ...
    def __getitem__(self, at: int | slice) -> Case | list[Case]:
        if isinstance(at, slice):
            return [Case(line) for line in self.lines[at]]
        return Case(self.lines[at])


def lines_of(cases: Iterable[Case]) -> Sequence[str]:
    """What goes over the wire."""
    return cases.lines if isinstance(cases, Cases) else [case.line for case in cases]


def made_once(make: Callable[P, Iterable[Case]]) -> Callable[P, Cases]:
    """A maker of cases that keeps what it has made, by its arguments.

    These are numbers, strings, sets of them, and other makers. What a maker uses besides lies
    in its own folder, or makes a case from its parts.
    """
    kept: Once[str, Cases] = Once()

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Cases:
        told = [*map(_told, args), *(f"{name}={_told(kwargs[name])}" for name in kwargs)]
        files = {inspect.getfile(inspect.unwrap(f)) for f in (make, *filter(callable, args))}
        folders = {Path(file).parent for file in files - {__file__}}  # this one makes no cases
        key = key_of(_told(make), told, [_package(folder) for folder in sorted(folders)])
        return kept.get(key, lambda: Cases(key, lambda: make(*args, **kwargs)))

    return made


@made_once
def joined(*makers: Callable[[], Iterable[Case]]) -> Iterator[Case]:
    """The cases of several makers, one after the other."""
    for make in makers:
        yield from make()


def _told(value: object) -> str:
    """An argument, the same text in every process."""
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    if inspect.isfunction(value):
        if "<" in value.__qualname__:
            # what it makes may depend on what no name tells
            raise TypeError(f"{value.__qualname__} is no function of a module")
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


@cache
def _package(folder: Path) -> str:
    """Digest over the modules in which makers and what they use lie."""
    return key_of({path.name: path.read_bytes() for path in folder.glob("*.py")})
