"""The settings of a project: ``rig.toml``, or ``[tool.rig]`` in ``pyproject.toml``.

Looked for from the working directory upwards; the first one counts. Read strictly: a wrong
key or value is told with its place and the near names. The data classes below are the schema.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rig import catalog
from rig.budgets import Budget
from rig.catalog import Catalog
from rig.errors import ConfigError, RigError
from rig.model import Core
from rig.sources.project import named_core
from rig.tables import near

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = "hashrig-config/1"
FILE = "rig.toml"
PYPROJECT = "pyproject.toml"

FIGURES = {"lines32": "lines/32", "lines64": "lines/64"}
"""Keys of budgets that are not the figure's own name."""

_STRICT: dict[str, object] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True)
class CoreSettings:
    """One table of ``[cores]``.

    file: a C file. source: anything else that ``rig check`` takes (``linux:DIR@REV``); one of
    the two. symbol: what is measured, if not the adapter's own. adapter: chosen by what the
    file defines, unless named. defines: macros. include: folders with headers. Paths are
    relative to the file of settings.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    file: str = ""
    source: str = ""
    symbol: str = ""
    adapter: str = ""
    defines: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


@dataclass(frozen=True)
class BudgetSettings:
    """One of ``[[budgets]]``: upper limits of figures, for the cells that two globs choose.

    Every other key is the name of a figure: bytes of size, frame and stack, instructions a
    block of work, code lines of 32 and 64 bytes a block touches.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    on: str = "*"
    core: str = "*"
    size: float | None = None
    frame: float | None = None
    stack: float | None = None
    work: float | None = None
    lines32: float | None = None
    lines64: float | None = None


@dataclass(frozen=True)
class Settings:
    """All that can be set.

    cores: name -> where its code is. setups: globs, as --on takes them. profile: flags of the
    core. targets: folders made like rig's own ``images/``, which add targets and profiles.
    budgets: upper limits. checks: names; all when empty. strict: what cannot be judged fails.
    engine: where commands run.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    cores: dict[str, CoreSettings] = field(default_factory=dict)
    setups: tuple[str, ...] = ()
    profile: str | None = None
    targets: tuple[str, ...] = ()
    budgets: tuple[BudgetSettings, ...] = ()
    checks: tuple[str, ...] = ()
    strict: bool = False
    engine: Literal["docker", "host"] = "docker"


@dataclass(frozen=True)
class Project:
    """Settings and where they came from.

    path: the file, None without one. table: where they stand in it (``tool.rig.``, or empty).
    """

    settings: Settings = Settings()
    path: Path | None = None
    table: str = ""

    def place(self, *keys: str | int) -> str:
        """``rig.toml: cores.mine.file``."""
        return f"{self.path}: {self.table}{'.'.join(str(key) for key in keys)}"

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog with the targets and cores of this project. Raises ConfigError."""
        own: dict[str, Callable[[Catalog], Core]] = {
            name: self._loader(name, core) for name, core in self.settings.cores.items()
        }
        known = catalog.load([self._folder(name) for name in self.settings.targets], own)
        built_in = known.built_in_names()
        for name in own:
            if name in built_in:
                raise ConfigError(
                    f"{self.place('cores', name)}: a built-in core has this name",
                    f"choose a name besides {', '.join(built_in)}",
                )
        self._check_names(known)
        return known

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """Upper limits, each with its place. A glob may leave out trailing parts."""
        chosen = {"on", "core"}
        return tuple(
            Budget(
                on=budget.on,
                core=budget.core,
                limits={
                    FIGURES.get(item.name, item.name): limit
                    for item in fields(budget)
                    if item.name not in chosen
                    and (limit := getattr(budget, item.name)) is not None
                },
                place=self.place("budgets", number),
            )
            for number, budget in enumerate(self.settings.budgets)
        )

    def _folder(self, name: str) -> Path:
        assert self.path
        folder = self.path.parent / name
        if not folder.is_dir():
            raise ConfigError(f"{self.place('targets')}: there is no folder {folder}")
        return folder

    def _loader(self, name: str, core: CoreSettings) -> Callable[[Catalog], Core]:
        place = self.place("cores", name)
        if bool(core.file) == bool(core.source):
            raise ConfigError(f"{place}: needs one of 'file' and 'source'")
        assert self.path
        base = self.path.parent

        def load(known: Catalog) -> Core:
            try:
                return named_core(
                    name,
                    core.file or core.source,
                    base,
                    known,
                    symbol=core.symbol,
                    adapter=core.adapter,
                    defines=core.defines,
                    include=core.include,
                )
            except RigError as error:
                raise ConfigError(f"{place}: {error.what}", error.hint, error.detail) from error

        return load

    def _check_names(self, known: Catalog) -> None:
        settings = self.settings
        if settings.profile is not None:
            self._one_of(settings.profile, known.profiles, "profile")
        for name, core in settings.cores.items():
            if core.adapter:
                self._one_of(core.adapter, known.adapters, "cores", name, "adapter")
        if settings.setups:
            try:
                known.setups(settings.setups, settings.profile)
            except RigError as error:
                raise ConfigError(
                    f"{self.place('setups')}: {error.what}", error.hint
                ) from error

    def _one_of(self, name: str, names: Mapping[str, object], *keys: str) -> None:
        if name not in names:
            raise ConfigError(f"{self.place(*keys)}: '{name}' is not known", near(name, names))


def find(folder: Path | None = None) -> Project:
    """The project around a folder (the working directory); an empty one where none is.

    Raises ConfigError for a file that is not as it should be.
    """
    start = (folder or Path.cwd()).absolute()
    return _found(start)


@cache
def _found(start: Path) -> Project:
    for folder in (start, *start.parents):
        own, shared = folder / FILE, folder / PYPROJECT
        table = _tool_table(shared) if shared.is_file() else None
        if own.is_file():
            if table is not None:
                raise ConfigError(
                    f"{folder}: both {FILE} and [tool.rig] of {PYPROJECT} are there",
                    "keep one of them",
                )
            return read(own)
        if table is not None:
            return _project(table, shared, "tool.rig.")
    return Project()


def read(path: Path) -> Project:
    """One ``rig.toml``. Raises ConfigError."""
    return _project(_toml(path), path, "")


def json_schema() -> dict[str, Any]:
    """The JSON schema of ``rig.toml`` and of the table ``[tool.rig]``."""
    schema = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": schema, "$id": SCHEMA, **_adapter().json_schema()}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def _tool_table(path: Path) -> dict[str, Any] | None:
    """``[tool.rig]``; None without one. A broken file that has none is others' business."""
    try:
        if b"rig" not in path.read_bytes():
            return None
    except OSError:
        return None
    table = _toml(path).get("tool", {}).get("rig")
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.rig: should be a table")
    return table


def _project(table: Mapping[str, Any], path: Path, prefix: str) -> Project:
    from pydantic import ValidationError  # noqa: PLC0415 - loaded where there are settings

    project = Project(path=path, table=prefix)
    try:
        settings = _adapter().validate_json(json.dumps(table, default=str))
    except ValidationError as error:
        problems = [_problem(project, table, dict(found)) for found in error.errors()]
        (what, hint), *others = problems
        more = "\n".join(f"{text} ({close})" if close else text for text, close in others)
        raise ConfigError(what, hint, more) from error
    return replace(project, settings=settings)


def _problem(
    project: Project, table: Mapping[str, Any], error: Mapping[str, Any]
) -> tuple[str, str]:
    """(what is wrong and where, near names) of one complaint of the validator."""
    loc = tuple(part for part in error["loc"] if part != "[key]")
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        names = _keys_at(loc[:-1])
        where = project.place(*loc)
        return f"{where}: unknown key '{loc[-1]}'", near(str(loc[-1]), names)
    value = _at(table, loc)
    message = str(error["msg"]).replace("Input should be", "should be", 1)
    return f"{project.place(*loc)}: {message}, not {json.dumps(value, default=str)}", ""


def _keys_at(loc: Sequence[str | int]) -> list[str]:
    """The keys of the table at a place."""
    kinds: dict[str, type] = {"cores": CoreSettings, "budgets": BudgetSettings}
    kind = kinds.get(str(loc[0]), Settings) if loc else Settings
    return [item.name for item in fields(kind)]


def _at(table: Any, loc: Sequence[str | int]) -> Any:
    for part in loc:
        try:
            table = table[part]
        except (KeyError, IndexError, TypeError):
            return table
    return table


@cache
def _adapter() -> TypeAdapter[Settings]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to load

    return TypeAdapter(Settings)
