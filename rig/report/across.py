"""Where one core fails: what tells its failing setups from those where it is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rig.verdicts import VERDICTS, Blame, Verdict

Attributes = Mapping[str, str]
"""What a setup is (:attr:`rig.model.Setup.attributes`), the most general first."""

_WORDS = {
    "order": "on {}-endian targets",
    "bits": "on {}-bit targets",
    "profile": "under profile {}",
    "compiler": "with {}",
    "toolchain": "with {}",
    "target": "on target {}",
}

_KINDS = {
    Verdict.BUILD_FAILED: "refused by the compiler",
    Verdict.LIMIT_EXCEEDED: "over a limit",
}


def across(verdicts: Iterable[tuple[Attributes, Verdict]]) -> tuple[str, ...]:
    """One line at most: what all failing setups share and no passing one has, else what parts
    the two.

    Cells that could not be judged give no evidence. A core that fails for different reasons,
    not built here and wrong there, is said to be neither.
    """
    failing: list[Attributes] = []
    passing: list[Attributes] = []
    kinds: set[str] = set()
    for attributes, verdict in verdicts:
        if VERDICTS[verdict].blame is Blame.CORE:
            failing.append(attributes)
            kinds.add(_KINDS.get(verdict, "wrong"))
        elif verdict is Verdict.PASS:
            passing.append(attributes)
    if not failing or not passing or len(kinds) > 1:
        return ()
    (kind,) = kinds
    shared = {
        name: value
        for name, value in failing[0].items()
        if name in _WORDS and all(one.get(name) == value for one in failing)
    }
    names = list(shared)
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    for telling in [*((name,) for name in names), *pairs]:
        if _tells(telling, shared, passing):
            return (f"{kind} only {' '.join(_WORDS[n].format(shared[n]) for n in telling)}",)
    return _parted(kind.partition(" by ")[0], failing, passing)


def _parted(
    verb: str, failing: Sequence[Attributes], passing: Sequence[Attributes]
) -> tuple[str, ...]:
    """``wrong under profile O1, O2, right under profile O0``: no value has both kinds."""
    for name, words in _WORDS.items():
        bad, good = (_values(name, cells) for cells in (failing, passing))
        if not set(bad) & set(good):
            said = [words.format(", ".join(values)) for values in (bad, good)]
            return (f"{verb} {said[0]}, right {said[1]}",)
    return ()


def _values(name: str, cells: Sequence[Attributes]) -> list[str]:
    """Values of one attribute, in the cells' order, each once."""
    return list(dict.fromkeys(one[name] for one in cells if name in one))


def _tells(names: Sequence[str], shared: Attributes, passing: Sequence[Attributes]) -> bool:
    return not any(all(one.get(name) == shared[name] for name in names) for one in passing)
