"""What became of the mutants, as plain text of at most 72 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rig.mutants import Mutant
from rig.mutants.hunting import Hunt
from rig.mutants.suites import OWN
from rig.report.layout import INDENT, table, wrap


def listed(mutants: Sequence[Mutant]) -> str:
    """Every mutant with its edit, by class."""
    lines: list[str] = []
    for kind in dict.fromkeys(mutant.kind for mutant in mutants):
        chosen = [mutant for mutant in mutants if mutant.kind == kind]
        lines += ["", *wrap(f"{kind}: {len(chosen)}", INDENT)]
        for mutant in chosen:
            lines += _described(mutant)
    return "\n".join([*lines[1:], ""])


def told(hunt: Hunt, suite: str) -> str:
    """Classes with their kills, the checks that killed first, and who lives."""
    lines = wrap(
        f"{len(hunt.mutants)} mutants on {', '.join(setup.id for setup in hunt.setups)}",
        INDENT,
        INDENT + "  ",
    )
    lines += ["", *table(["", "killed", "survived", "equivalent"], _classes(hunt, suite))]
    kills = [kill for (_, name), kill in hunt.kills.items() if name == suite]
    for what, counts in (
        ("killed first by", Counter(kill.check for kill in kills)),
        ("killed first on", Counter(kill.setup.target.name for kill in kills)),
        ("as", Counter(kill.verdict.value for kill in kills)),
    ):
        text = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        lines += ["", *wrap(f"{what}: {text or 'nothing'}", INDENT, INDENT + "  ")]
    elsewhere = [m for m in hunt.unkilled(suite) if not hunt.can_show(m)]
    if elsewhere:
        names = " or ".join(dict.fromkeys(mutant.shows for mutant in elsewhere))
        text = f"{len(elsewhere)} more show on {names} targets alone, and live on these"
        lines += ["", *wrap(text, INDENT, INDENT + "  ")]
    for title, mutants in (
        ("survived", hunt.survivors(suite)),
        ("argued equivalent, and killed all the same", hunt.wrongly_equivalent()),
    ):
        if mutants:
            lines += ["", *wrap(f"{title}:", INDENT)]
            for mutant in mutants:
                lines += _described(mutant)
    if hunt.troubles:
        lines += ["", *wrap("not judged:", INDENT)]
        for name, trouble in hunt.troubles.items():
            lines += wrap(f"{name}: {trouble}", INDENT * 2, INDENT * 3)
    return "\n".join([*lines, ""])


def compared(hunt: Hunt) -> str:
    """The same mutants against each suite: kills on the first target, and on all."""
    first = hunt.setups[0].target.name
    faults = [mutant.name for mutant in hunt.mutants if not mutant.equivalent]
    rows = []
    for suite in sorted(hunt.suites, key=lambda suite: suite.name == OWN):
        kills = [
            kill
            for (name, killer), kill in hunt.kills.items()
            if killer == suite.name and name in faults
        ]
        here = sum(kill.setup.target.name == first for kill in kills)
        rows.append([suite.summary, str(here), str(len(kills))])
    heads = ["", f"on {first}", "on all targets"]
    title = f"killed, of {len(faults)} faults:"
    return "\n".join([*wrap(title), "", *table(heads, rows), ""])


def _classes(hunt: Hunt, suite: str) -> list[list[str]]:
    rows = []
    for kind in dict.fromkeys(mutant.kind for mutant in hunt.mutants):
        mutants = [mutant for mutant in hunt.mutants if mutant.kind == kind]
        equivalent = [mutant for mutant in mutants if mutant.equivalent]
        alive = [mutant for mutant in hunt.survivors(suite) if mutant.kind == kind]
        killed = [m for m in mutants if not m.equivalent and (m.name, suite) in hunt.kills]
        rows.append([kind, *(str(len(some)) for some in (killed, alive, equivalent))])
    total = [sum(int(row[at]) for row in rows) for at in (1, 2, 3)]
    return [*rows, ["all", *map(str, total)]]


def _described(mutant: Mutant) -> list[str]:
    where = f", on {mutant.shows}" if mutant.shows != "everywhere" else ""
    text = f"{mutant.name} ({mutant.source}{where}): {mutant.edit}"
    lines = wrap(text, INDENT * 2, INDENT * 3)
    if mutant.equivalent:
        lines += wrap(f"equivalent: {mutant.equivalent}", INDENT * 3)
    return lines
