"""Toolchain images: what goes into one, its tag, and building it when it is not there.

The tag holds a hash of all that goes in, so an image that exists is the right one, and a
changed recipe is another tag. Builds of one machine go one after the other under a lock:
they share the common layer, and a worker that waits finds the image made.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import APIError, ImageNotFound, NotFound
from filelock import FileLock

from rig.engines import Emit
from rig.engines.connect import translated
from rig.engines.streams import Tail
from rig.errors import ImageFault, UsageError
from rig.model import ImageSpec, Ready

LABEL = "io.hashrig"
"""On everything that rig makes in an engine."""

KEPT = 1
"""Earlier images of the same target and extras that stay, for going back and forth."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}
_INDEX = re.compile(
    r"404 +Not Found|does not have a Release file|Release file .* (is expired|is not valid yet)"
    r"|Failed to fetch|Some index files failed to download"
)
_PACKAGE = re.compile(r"E: (Unable to locate package|Package) '?([^' ]+)")
_FULL = re.compile(r"[Nn]o space left on device|write error.*space")


@dataclass(frozen=True)
class Recipe:
    """The one recipe of all toolchain images: a folder with Dockerfile, common/, <target>/.

    locks: a folder for lock files that all processes of this user share. others: folders
    that hold further targets' lists of packages.
    """

    folder: Path
    locks: Path
    others: tuple[Path, ...] = ()

    def base(self, spec: ImageSpec) -> str:
        return f"debian:{spec.release}-slim"

    def repository(self, spec: ImageSpec) -> str:
        return f"hashrig-{spec.release}-{spec.target}"

    def inputs(self, spec: ImageSpec) -> Mapping[str, bytes]:
        """Path in the build context -> content. Flags are no part of an image."""
        packages = f"{spec.target}/apt.txt"
        homes = [home for home in self.others if (home / packages).is_file()]
        home = homes[0] if homes else self.folder
        try:
            common = ["Dockerfile", "common/apt.txt"]
            content = {path: (self.folder / path).read_bytes() for path in common}
            return {**content, packages: (home / packages).read_bytes()}
        except OSError as error:
            raise UsageError(
                f"the image of {spec.target} has no recipe: {error.strerror}: {error.filename}"
            ) from error

    def arguments(self, spec: ImageSpec) -> Mapping[str, str]:
        return {
            "RELEASE": spec.release,
            "TARGET": spec.target,
            "EXTRA": " ".join(sorted(spec.extra)),
            "STALE_INDEX": "yes" if spec.stale_index else "",
        }

    def tag(self, spec: ImageSpec) -> str:
        """``hashrig-<release>-<target>:<12 hex digits over all that goes in>``."""
        state = hashlib.sha256()
        arguments = {name: value.encode() for name, value in self.arguments(spec).items()}
        for part in (self.inputs(spec), arguments):
            for name, data in sorted(part.items()):
                state.update(f"{name}\0{len(data)}\0".encode() + data)
        return f"{self.repository(spec)}:{state.hexdigest()[:12]}"

    def context(self, spec: ImageSpec) -> bytes:
        """The build context as a tar with fixed times, so that layers are found again."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path, data in sorted(self.inputs(spec).items()):
                info = tarfile.TarInfo(path)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        return buffer.getvalue()


def ensure_image(client: Any, recipe: Recipe, spec: ImageSpec, emit: Emit) -> Ready:
    """The image of ``spec``, built if it is not there.

    Raises ImageFault: platform, base image, package index, disk, or the build's own error.
    """
    tag = recipe.tag(spec)
    with translated(client.base_url):
        found = _inspect(client, tag)
        if found is None:
            recipe.locks.mkdir(parents=True, exist_ok=True)
            lock = FileLock(recipe.locks / "images.lock")
            if lock_is_held(lock):
                emit(f"{tag}: waiting for another process that builds images")
            with lock:
                found = _inspect(client, tag) or _make(client, recipe, spec, tag, emit)
    return Ready(spec=spec, tag=tag, id=str(found["Id"]))


def lock_is_held(lock: FileLock) -> bool:
    """Whether someone else holds ``lock`` at this moment."""
    try:
        with lock.acquire(timeout=0):
            return False
    except TimeoutError:
        return True


def _make(client: Any, recipe: Recipe, spec: ImageSpec, tag: str, emit: Emit) -> dict[str, Any]:
    _check_base(client, recipe.base(spec), emit)
    emit(f"building image {tag}")
    log = Tail()
    stream = client.build(
        fileobj=io.BytesIO(recipe.context(spec)),
        custom_context=True,
        tag=tag,
        buildargs=dict(recipe.arguments(spec)),
        rm=True,
        forcerm=True,
        decode=True,
        timeout=None,
        use_config_proxy=True,
    )
    try:
        for line in _lines(stream):
            log.add(line.encode() + b"\n")
            emit(line)
    except _StreamError as error:
        raise _fault(tag, recipe.base(spec), str(error), log) from error
    finally:
        prune(client, recipe, spec, tag)
    found = _inspect(client, tag)
    if found is None:
        raise ImageFault(f"{tag}: the build ended without an image", detail=_text(log))
    emit(f"built image {tag}")
    return found


def prune(client: Any, recipe: Recipe, spec: ImageSpec, tag: str) -> None:
    """Keeps rebuilding from filling the disk.

    Removes untagged images of ours and all but the newest few of this target with these
    extras besides ``tag``, which may be old: a build that finds all its steps done before has
    the date of then. Called under the lock, so no layer of a build under way is among them.
    What is in use stays: the engine refuses.
    """
    remove_dangling(client)
    others = [
        image
        for image in client.images(recipe.repository(spec), filters={"label": LABEL})
        if (image.get("Labels") or {}).get(f"{LABEL}.extra", "")
        == recipe.arguments(spec)["EXTRA"]
        and tag not in (image.get("RepoTags") or [])
    ]
    others.sort(key=lambda image: int(image["Created"]), reverse=True)
    for image in others[KEPT:]:
        for old in image.get("RepoTags") or []:
            remove_image(client, old)


def remove_dangling(client: Any) -> int:
    """Removes untagged images with our label; returns how many went."""
    gone = 0
    while True:  # removing an image can leave its parent untagged
        found = client.images(filters={"label": LABEL, "dangling": True})
        removed = sum(remove_image(client, image["Id"]) for image in found)
        gone += removed
        if not removed:
            return gone


def remove_image(client: Any, name: str) -> bool:
    """False when the engine keeps it (in use, or gone already)."""
    with suppress(NotFound, APIError):
        client.remove_image(name)
        return True
    return False


def _check_base(client: Any, base: str, emit: Emit) -> None:
    """The base image is there, pulled if need be, and is of the engine's own architecture."""
    architecture = str(client.info().get("Architecture", ""))
    wanted = _ARCHITECTURES.get(architecture, architecture)
    image = _inspect(client, base)
    if image is None:
        emit(f"pulling {base}")
        try:
            for line in _lines(client.pull(base, stream=True, decode=True)):
                emit(line)
        except (_StreamError, APIError) as error:
            reason = str(getattr(error, "explanation", None) or error)
            if _FULL.search(reason):
                raise _disk_full(f"pulling {base}", reason) from error
            raise ImageFault(
                f"the base image {base} is not here and could not be pulled",
                "`make images` makes it without a registry (as root on Debian).",
                reason,
            ) from error
        image = client.inspect_image(base)
    found = str(image.get("Architecture", ""))
    if found != wanted:
        raise ImageFault(
            f"the image {base} is for linux/{found}; this engine needs linux/{wanted}",
            f"Remove it (docker rmi {base}); the right one is then fetched.",
        )


def is_there(client: Any, name: str) -> bool:
    """Whether the engine has an image of that name."""
    with translated(client.base_url):
        return _inspect(client, name) is not None


def _inspect(client: Any, name: str) -> dict[str, Any] | None:
    try:
        return dict(client.inspect_image(name))
    except ImageNotFound:
        return None


class _StreamError(Exception):
    """The engine reported a failure within a stream of progress."""


def _lines(stream: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Lines of a build or pull, whole and clean; progress bars are left out."""
    rest = ""
    for item in stream:
        if "error" in item:
            if rest:
                yield rest
            raise _StreamError(str(item["error"]))
        if item.get("progressDetail"):
            continue
        name = f"{item['id']}: " if "id" in item else ""
        rest += str(
            item.get("stream") or (f"{name}{item['status']}\n" if "status" in item else "")
        )
        *whole, rest = rest.split("\n")
        yield from (clean for line in whole if (clean := _printable(line)))
    if rest:
        yield _printable(rest)


def _printable(line: str) -> str:
    """Without colours, other control characters and what a carriage return overwrote."""
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line.rstrip("\r").rsplit("\r", 1)[-1])
    return "".join(char for char in line if char.isprintable()).rstrip()


def _fault(tag: str, base: str, error: str, log: Tail) -> ImageFault:
    """Says which of the known reasons ended a build."""
    text = f"{_text(log)}\n{error}"
    if _FULL.search(text):
        return _disk_full(f"building image {tag}", text)
    missing = _PACKAGE.search(text)
    if _INDEX.search(text):
        return ImageFault(
            f"image build failed: package index (base {base})",
            "The release may be retired, or its mirror out of reach or out of step.",
            text,
        )
    if missing:
        return ImageFault(
            f"image build failed: {base}'s release has no package {missing.group(2)}",
            "Packages differ by release: see images/<target>/apt.txt.",
            text,
        )
    return ImageFault(f"image build failed: {tag}: {_printable(error)}", "", text)


def _disk_full(doing: str, text: str) -> ImageFault:
    return ImageFault(
        f"disk full while {doing}",
        "Free some space; `rig clean --images` removes rig's own.",
        text,
    )


def _text(log: Tail) -> str:
    return "\n".join(log.value().decode("utf-8", "replace").splitlines()[-40:])
