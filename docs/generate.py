"""Writes the reference pages that come from the code: the command line and the two schemas.

python docs/generate.py           writes them
python docs/generate.py --check   exits 1 when one is not what it would be written as
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from rig import config
from rig.cli import app
from rig.report import document

REFERENCE = Path(__file__).parent / "reference"


def help_of(*verb: str) -> str:
    """The help text as a terminal of 80 columns shows it."""
    call = "from rig.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", call, *verb, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def verbs() -> list[str]:
    return list(get_command(app).commands)  # type: ignore[attr-defined]


def command_line() -> Iterator[str]:
    yield "# Command line\n"
    yield f"```text\n{help_of()}\n```\n"
    for verb in verbs():
        yield f"## rig {verb}\n"
        text = help_of(verb).replace("[default: 2; x>=1]", "[default: CPUs; x>=1]")
        yield f"```text\n{text}\n```\n"


def configuration() -> Iterator[str]:
    yield "# Configuration\n"
    yield (
        "`rig.toml`, or `[tool.rig]` in `pyproject.toml`, is looked for from the working\n"
        "directory upwards. A wrong key or value is told with its place and the near names;\n"
        "`rig config` checks the file and shows what is in force.\n"
    )
    yield "The schema (`rig config --schema`):\n"
    yield f"```json\n{json.dumps(config.json_schema(), indent=2)}\n```\n"


def report() -> Iterator[str]:
    yield "# Report\n"
    yield (
        "What `--json FILE` writes. The schema has a version, and a report of another version\n"
        "is refused with both named. Verdicts, measurements and findings are all in it.\n"
    )
    yield "The schema (`rig report --schema`):\n"
    yield f"```json\n{json.dumps(document.json_schema(), indent=2)}\n```\n"


PAGES = {"cli.md": command_line, "configuration.md": configuration, "report.md": report}


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, make in PAGES.items():
        path = REFERENCE / name
        text = "\n".join(make())
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"docs/reference: run `python docs/generate.py`: {', '.join(stale)}")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
