"""Whether what runs depends on the data: the traces of several inputs must be one trace.

It sees instructions, not addresses of data and not times: no variation observed is all that
it can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rig.elf import Program
from rig.measures.calls import Call
from rig.trace import Step


class Divergence(NamedTuple):
    """Where two inputs part. step: index of the first that differs. last: address of the last
    common instruction, the one that decided. first, other: what followed; None: nothing.
    """

    label: str
    other_label: str
    step: int
    last: int | None
    first: int | None
    other: int | None


class Observed(NamedTuple):
    """inputs: how many were compared. divergence: the first one found, if any."""

    inputs: int
    divergence: Divergence | None

    def describe(self, program: Program) -> str:
        """``no variation observed (4 inputs)``, or where which two inputs part."""
        part = self.divergence
        if part is None:
            return f"no variation observed ({self.inputs} inputs)"

        def named(pc: int | None) -> str:
            return "the end" if pc is None else program.where(pc)

        decided = "at entry" if part.last is None else f"after {named(part.last)}"
        return (
            f"instructions depend on data {decided} (step {part.step}): "
            f"{part.label} goes on to {named(part.first)}, "
            f"{part.other_label} to {named(part.other)}"
        )


def compare(runs: Iterable[tuple[str, Sequence[Call]]]) -> Observed:
    """Compares the traces of labelled inputs, all of one length, with the first one's."""
    inputs, reference, label = 0, [], ""
    for inputs, (name, calls) in enumerate(runs, 1):
        steps = [step for call in calls for step in call.steps]
        if inputs == 1:
            reference, label = steps, name
        elif (parted := _parted(reference, steps)) is not None:
            return Observed(inputs, Divergence(label, name, *parted))
    return Observed(inputs, None)


def _parted(
    one: Sequence[Step], other: Sequence[Step]
) -> tuple[int, int | None, int | None, int | None] | None:
    last = None
    for index, (left, right) in enumerate(zip_longest(one, other)):
        first, second = left and left.pc, right and right.pc
        if first != second:
            return index, last, first, second
        last = first
    return None
