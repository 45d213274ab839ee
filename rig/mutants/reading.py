"""From the catalog's files to mutants, and from a mutant to a core that can be built."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from typing import Any

from rig.catalog import Catalog
from rig.errors import ConfigError
from rig.model import Core
from rig.mutants import Mutant, Shows

SOURCES = ("rolled", "unrolled", "driver")
"""What can be edited: two of the built-in cores, and the hash around a core."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_ENTRY = {field.name for field in fields(Mutant)} - {"kind"}


def load_mutants() -> tuple[Mutant, ...]:
    """Every mutant of the catalog, by class. Raises ConfigError for what cannot be meant."""
    found: dict[str, Mutant] = {}
    folder = files(__package__).joinpath("catalog")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        kind, dot, ending = file.name.rpartition(".")
        if not dot or ending != "toml":
            continue
        for mutant in read_class(kind, file.read_text("utf-8")):
            if mutant.name in found:
                raise ConfigError(f"two mutants are called '{mutant.name}'")
            found[mutant.name] = mutant
    return tuple(found.values())


def read_class(kind: str, text: str) -> list[Mutant]:
    """The mutants of one file; what it says of all of them is the default of each."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"mutants, {kind}: {error}") from error
    strange = set(table) - {"summary", "source", "shows", "mutants"}
    if strange or not isinstance(table.get("mutants"), list):
        raise ConfigError(f"mutants, {kind}: {', '.join(sorted(strange)) or 'no mutants'}")
    defaults: dict[str, Any] = {key: table[key] for key in ("source", "shows") if key in table}
    return [_read(kind, {**defaults, **entry}) for entry in table["mutants"]]


def _read(kind: str, entry: Mapping[str, Any]) -> Mutant:
    where = f"mutants, {kind}: {entry.get('name', 'without a name')}"
    if set(entry) - _ENTRY or not all(isinstance(value, str) for value in entry.values()):
        raise ConfigError(f"{where}: it takes {', '.join(sorted(_ENTRY))}, all of them text")
    missing = [key for key in ("name", "source", "at", "put") if key not in entry]
    if missing:
        raise ConfigError(f"{where}: {', '.join(missing)} is missing")
    if not _NAME.match(entry["name"]) or entry["source"] not in SOURCES:
        raise ConfigError(f"{where}: the name or the source '{entry['source']}' is wrong")
    if entry.get("shows", Shows.EVERYWHERE) not in tuple(Shows):
        raise ConfigError(f"{where}: it shows on one of {', '.join(Shows)}")
    return Mutant(kind=kind, **{**entry, "shows": Shows(entry.get("shows", "everywhere"))})


# --------------------------------------------------------------------------- edits


def mutated(mutant: Mutant, text: str) -> str:
    """The source with the mutant's edit. Raises ConfigError: anchor missing or ambiguous."""
    start = 0
    if mutant.after:
        start = _only(mutant, mutant.after, text) + len(mutant.after)
        place = text.find(mutant.at, start)
        if place < 0:
            raise ConfigError(f"mutant {mutant.name}: '{mutant.at}' is missing there")
    else:
        place = _only(mutant, mutant.at, text)
    if mutant.at == mutant.put:
        raise ConfigError(f"mutant {mutant.name}: changes nothing")
    return text[:place] + mutant.put + text[place + len(mutant.at) :]


def _only(mutant: Mutant, anchor: str, text: str) -> int:
    """Where an anchor stands, which must be one place."""
    count = text.count(anchor)
    if not anchor or count != 1:
        wrong = "is ambiguous" if count else "is missing"
        raise ConfigError(f"mutant {mutant.name}: '{anchor}' {wrong} in {mutant.source}")
    return text.index(anchor)


def core_of(mutant: Mutant, known: Catalog) -> Core:
    """A mutant as a core. A mutant of the driver is one unit with the core before it."""
    return _core(mutant.name, mutant.source, known, mutant)


def original(source: str, known: Catalog) -> Core:
    """What the mutants of a source are made of: it must pass where they are judged."""
    return _core(f"original-{source}", source, known, None)


def _core(name: str, source: str, known: Catalog, mutant: Mutant | None) -> Core:
    driver = source == "driver"
    path = known.guest / ("blake2b.c" if driver else f"cores/{source}.c")
    text = path.read_text("utf-8")
    if mutant is not None:
        text = mutated(mutant, text)
    if driver:
        core = known.guest.joinpath("cores/rolled.c").read_text("utf-8")
        # both have a table of that name
        text = f"{core}\n#define iv iv_of_init\n{text}"
    return Core(
        name=name,
        unit=f"{name}.c",
        files={f"{name}.c": text.encode()},
        adapter="full" if driver else "compress",
        origin=f"mutant {mutant.name} of {source}" if mutant else f"{source}, unmutated",
    )
