"""Items of one cell go to one of xdist's workers, since each worker opens a guest of its own.

Nothing depends on it but time: any worker can run any item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdist.scheduler import LoadScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

_SLASHES = 3
"""In a cell's id, at the least: target/toolchain/profile/core."""


def cell_in(nodeid: str) -> str:
    """What items of one cell have in common; for an item without a cell, its own id.

    Of a core's name no more than up to its first dash, where what comes after the cell may
    begin: cores whose names differ only behind it stay together too.
    """
    parameters = nodeid.partition("[")[2].removesuffix("]")
    if parameters.count("/") < _SLASHES:
        return nodeid
    setup, _, rest = parameters.rpartition("/")
    return f"{setup}/{rest.partition('-')[0]}"


def whole(collection: Sequence[str], pending: Sequence[int], count: int) -> int:
    """How many of the pending items to give out, of which ``count`` are due.

    More than ``count`` where those would cut a cell in two. pending: places in the collection.
    """
    while 0 < count < len(pending) and cell_in(collection[pending[count]]) == cell_in(
        collection[pending[count - 1]]
    ):
        count += 1
    return count


class CellScheduling(LoadScheduling):  # type: ignore[misc]  # xdist has no types
    """xdist's own ``--dist load``, but no cell is cut in two; all else is as it was."""

    def _send_tests(self, node: WorkerController, num: int) -> None:
        super()._send_tests(node, whole(self.collection or (), self.pending, num))
