"""rig config: the settings of this project, checked."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from rig.errors import ExitCode
from rig.report.layout import clean


def config(
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of rig.toml.")
    ] = False,
) -> int:
    """Check the settings of this project and show them as JSON.

    They are in rig.toml, or in [tool.rig] of pyproject.toml, here or in a folder above.

    Example:
      rig config
    """
    from rig.config import find, json_schema  # noqa: PLC0415 - loads pydantic
    from rig.journal import encode  # noqa: PLC0415

    if schema:
        print(json.dumps(json_schema(), indent=2))
        return ExitCode.GOOD
    project = find()
    known = project.catalog
    for name in project.settings.cores:
        known.core(name)  # a file that is not there is told now
    where = (
        clean(str(project.path)) if project.path else "no rig.toml: all settings are defaults"
    )
    print(f"# {where}")
    print(encode(project.settings, indent=2).decode())
    return ExitCode.GOOD
