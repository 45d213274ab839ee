"""Toolchains as found: engines by name, image tags, and versions read by asking the tools."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rig.engines import Engine
from rig.engines.box import Workshop
from rig.engines.host import HostEngine
from rig.errors import ToolchainMissing, UsageError
from rig.model import Done, ImageSpec, Job, Ready, Target, Toolchain, ToolchainFacts

ENGINES = ("docker", "host")

MOVING = ("sid", "testing")
"""Releases that call themselves by the next stable one's code name."""

_LINKERS = {"gcc": "ld", "clang": "ld.lld"}
_VERSION = re.compile(r"\d+(\.\d+)+\S*")


def make_engine(name: str, images: Path, cache: Path, others: Sequence[Path] = ()) -> Engine:
    """The engine called ``name``. images: the recipe's folder; cache: for lock files; others:
    folders with further targets.

    Raises UsageError for an unknown name, and what :func:`rig.engines.connect.connect` raises.
    """
    if name == "host":
        return HostEngine()
    if name == "docker":
        from rig.engines.docker import DockerEngine  # noqa: PLC0415 - docker loads slowly
        from rig.engines.image import Recipe  # noqa: PLC0415

        return DockerEngine(Recipe(images, cache / "locks", tuple(others)))
    raise UsageError(f"no engine is called '{name}'", f"known: {', '.join(ENGINES)}")


def image_tag(spec: ImageSpec, images: Path, others: Sequence[Path] = ()) -> str:
    """``hashrig-<release>-<target>:<12 hex digits over all that goes in>``."""
    from rig.engines.image import Recipe  # noqa: PLC0415 - docker loads slowly

    return Recipe(images, images, tuple(others)).tag(spec)


def compiler_name(target: Target, toolchain: Toolchain) -> str:
    """The executable: ``i686-linux-gnu-gcc-13``, ``clang-22``, or the user's own."""
    if toolchain.command:
        return toolchain.command
    name = f"{target.triple}-gcc" if toolchain.family == "gcc" else toolchain.family
    return f"{name}-{toolchain.version}" if toolchain.version else name


_PROBE = """\
compiler=$1
shift
knows() {
	"$compiler" $target -Werror "$@" -x c -c -o /dev/null /dev/null 2>/dev/null
}
knows "$@" && exit  # all of them, as a rule
for flag in "$@"; do
	knows "$flag" || echo "$flag"
done
"""


def read_facts(
    shop: Workshop,
    ready: Ready,
    target: Target,
    toolchain: Toolchain,
    optional: Sequence[str] = (),
) -> ToolchainFacts:
    """What one toolchain of ``target`` is; see :func:`read_all_facts`."""
    return read_all_facts(shop, ready, target, {toolchain: optional})[toolchain]


def read_all_facts(
    shop: Workshop,
    ready: Ready,
    target: Target,
    toolchains: Mapping[Toolchain, Sequence[str]],
) -> Mapping[Toolchain, ToolchainFacts]:
    """What the toolchains of ``target`` are, by their own words, asked in one box.

    toolchains: each with optional flags, of which the facts say which it does not know.
    Worth keeping by ``ready.id``. Raises ToolchainMissing for what is not there.
    """
    jobs = [Job("qemu", (target.qemu, "--version")), Job("system", ("cat", "/etc/os-release"))]
    for number, (toolchain, optional) in enumerate(toolchains.items()):
        compiler = compiler_name(target, toolchain)
        of_target = f"--target={target.clang_target}" if toolchain.family == "clang" else ""
        probe = f"target={shlex.quote(of_target)}\n{_PROBE}"
        jobs.append(Job(f"flags{number}", ("sh", "-c", probe, "sh", compiler, *optional)))
        ask = f'exec "$("$1" -print-prog-name={_LINKERS[toolchain.family]})" --version'
        jobs.append(Job(f"compiler{number}", (compiler, "--version")))
        jobs.append(Job(f"linker{number}", ("sh", "-c", ask, "sh", compiler)))
    done = {one.name: one for one in shop.run(ready, [jobs], {}, workers=2)}
    qemu = version_of(_answer(done["qemu"], target.qemu, target, ready))
    asked = ready.spec.release
    release = asked if asked in MOVING else _release(done["system"])
    facts = {}
    for number, toolchain in enumerate(toolchains):
        compiler = compiler_name(target, toolchain)
        banner = _answer(done[f"compiler{number}"], compiler, target, ready)
        facts[toolchain] = ToolchainFacts(
            toolchain=toolchain,
            target=target.name,
            compiler=compiler,
            version=version_of(banner),
            banner=banner,
            linker=_answer(done[f"linker{number}"], f"linker of {compiler}", target, ready),
            qemu=qemu,
            image=ready.tag,
            image_id=ready.id,
            release=release,
            unknown_flags=tuple(done[f"flags{number}"].stdout.decode().split()),
        )
    return facts


def version_of(banner: str) -> str:
    """The version within a tool's first line, what is in parentheses left out; or all of it."""
    found = _VERSION.search(re.sub(r"\([^()]*\)", "", banner))
    return found.group(0) if found else banner


def _answer(done: Done, tool: str, target: Target, ready: Ready) -> str:
    """First line of what a tool said about itself."""
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    if done.code == 0 and lines:
        return "".join(char for char in lines[0] if char.isprintable()).strip()
    raise ToolchainMissing(
        f"{target.name}: {tool} is not there or does not run ({ready.tag})",
        f"Debian packages: {' '.join(target.packages)} (see images/common/apt.txt too). "
        "gcc-multilib removes cross compilers: gcc-i686-linux-gnu is the one for i386.",
        done.stderr.decode("utf-8", "replace").strip(),
    )


def _release(done: Done) -> str:
    """``trixie``, or ``fedora 42`` where releases have no code name."""
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    pairs = (line.partition("=") for line in lines)
    known = {name: value.strip("\"'") for name, _, value in pairs}
    other = f"{known.get('ID', 'unknown')} {known.get('VERSION_ID', '')}".strip()
    return known.get("VERSION_CODENAME") or other


def image_spec(target: Target, toolchain: Toolchain) -> ImageSpec:
    """The image that holds a toolchain; a release's own compilers of a target share one."""
    version = toolchain.version
    extra: tuple[str, ...] = ()
    if version and toolchain.family == "gcc":
        name = target.gcc_package or f"gcc-{{version}}-{target.triple}"
        extra = (name.format(version=version),)
    elif version:
        extra = (f"clang-{version}", f"lld-{version}")
    return ImageSpec(target.name, toolchain.release, extra, toolchain.stale_index)
