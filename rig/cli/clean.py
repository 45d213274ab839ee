"""rig clean: removes what killed runs left, and what rig can make again."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from rig.errors import EngineAbsent, EngineFault, ExitCode
from rig.report.layout import clean as cleaned


def clean(
    everything: Annotated[
        bool, typer.Option("--all", help="Also objects, programs, journals; boxes in use.")
    ] = False,
    images: Annotated[bool, typer.Option("--images", help="Also toolchain images.")] = False,
) -> int:
    """Remove leftovers of killed runs: boxes, untagged images, half-made entries.

    What a living rig uses stays, unless --all is given.

    Example:
      rig clean --all --images
    """
    from rig.engines.host import sweep_folders  # noqa: PLC0415
    from rig.store import Store, default_cache  # noqa: PLC0415

    cache = default_cache()
    store = Store(cache)
    print(f"{store.sweep()} half-made entries of {cleaned(str(cache))} removed")
    print(f"{sweep_folders()} folders of boxes removed")
    if everything:
        print(f"{store.clear()} entries removed")
        for name in ("runs", "faults"):
            shutil.rmtree(cache / name, ignore_errors=True)
        print("journals removed")
    try:
        _clean_engine(everything, images)
    except EngineAbsent as error:
        if images:
            raise
        print(f"rig: no engine to clean: {cleaned(error.what)}", file=sys.stderr)
    return ExitCode.GOOD


def _clean_engine(everything: bool, images: bool) -> None:
    from rig.engines.clean import clean as clean_engine  # noqa: PLC0415 - loads docker
    from rig.engines.connect import connect  # noqa: PLC0415

    client = connect()
    try:
        done = clean_engine(client, force=everything, images=images)
    finally:
        client.close()
    print(f"{done.boxes.removed} boxes removed, {done.boxes.kept} in use kept")
    print(f"{done.dangling} untagged images removed")
    for tag in done.images:
        print(f"image {cleaned(tag)} removed")
    if done.boxes.stuck:
        names = " ".join(name[:12] for name in done.boxes.stuck)
        raise EngineFault(
            f"the engine does not let go of {len(done.boxes.stuck)} boxes: {names}",
            "Ask it why: docker rm --force BOX; then restart it.",
        )
