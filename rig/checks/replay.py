"""One case asked again, by its line: what ``--case`` does. Not a check of the usual round."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import parse
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.verdicts import Finding

REPEATS = 3

REPLAY = "replay"


def replay_check(line: str) -> Check:
    """A check that asks this one case three times. Raises UsageError for a senseless line."""
    case = parse(line)

    def run(subject: Subject) -> Iterator[Finding]:
        yield from judge(REPLAY, subject, [case] * REPEATS, shrink=False)

    return Check(REPLAY, "the one case that was named", 0, run)
