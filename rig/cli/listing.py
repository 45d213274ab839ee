"""rig list: what can be named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from rig.errors import ExitCode, UsageError
from rig.report.layout import clean

if TYPE_CHECKING:
    from rig.catalog import Catalog

Rows = list[tuple[str, str]]


def names(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="targets, cores, profiles, setups, toolchains or checks."
        ),
    ],
) -> int:
    """List what there is: a name a line, with what it is.

    Example:
      rig list setups
    """
    from rig.config import find  # noqa: PLC0415
    from rig.tables import near  # noqa: PLC0415

    if what not in _LISTS:
        raise UsageError(f"there is no list of '{what}'", near(what, _LISTS))
    rows = _LISTS[what](find().catalog)
    wide = max((len(name) for name, _ in rows), default=0)
    for name, summary in rows:
        print(clean(f"{name:{wide}}  {summary}").rstrip())
    return ExitCode.GOOD


def _targets(known: Catalog) -> Rows:
    return [
        (name, target.summary if target.default else f"{target.summary} (not by default)")
        for name, target in known.targets.items()
    ]


def _profiles(known: Catalog) -> Rows:
    return [(name, profile.summary) for name, profile in known.profiles.items()]


def _cores(known: Catalog) -> Rows:
    built_in = known.built_in_names()
    return [
        (name, f"{'built in' if name in built_in else 'of this project'}, {core.digest}")
        for name, core in ((name, known.core(name)) for name in known.core_names())
    ]


def _setups(known: Catalog) -> Rows:
    usual = {setup.id for setup in known.setups()}
    return [
        (setup.id, "by default" if setup.id in usual else "") for setup in known.all_setups()
    ]


def _toolchains(known: Catalog) -> Rows:
    return [
        (one.label, f"{one.family} {one.version or 'as it comes'} of Debian {one.release}")
        for one in known.toolchains
    ]


def _checks(_known: Catalog) -> Rows:
    from rig.checks import all_checks  # noqa: PLC0415

    return [(check.name, check.catches) for check in all_checks()]


_LISTS: Mapping[str, Callable[[Catalog], Rows]] = {
    "targets": _targets,
    "cores": _cores,
    "profiles": _profiles,
    "setups": _setups,
    "toolchains": _toolchains,
    "checks": _checks,
}
