"""Finding a container engine and telling apart why one cannot be used."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, TLSParameterError
from docker.tls import TLSConfig

from rig.errors import (
    EngineAbsent,
    EngineDenied,
    EngineFault,
    EngineHangs,
    EngineTooOld,
    RigError,
    UsageError,
)

MINIMUM_API = "1.40"
"""Engine API of Docker 19.03 and Podman 3: the oldest that the tests' features exist in."""

PROBE_SECONDS = 20.0
"""How long an engine may take for its first answer."""

ANSWER_SECONDS = 120.0
"""How long it may take for any later one; streams have no limit of their own."""

_START = "Start one, or let `make run` set it up; `make run ENGINE=host` needs none."


def find_address(env: Mapping[str, str] = os.environ, root: Path = Path("/")) -> str:
    """Where the engine is: DOCKER_HOST, else the docker context's, else a known socket.

    Of the known sockets the first that exists is taken: Docker's, rootless Docker's, Podman's
    of this user, Podman's of the system. None exists: Docker's own, whose absence is then
    reported. ``root`` is where ``/run`` and ``/var`` are looked for.
    """
    if env.get("DOCKER_HOST"):
        return env["DOCKER_HOST"]
    named = _context_address(env)
    if named:
        return named
    default = root / "var/run/docker.sock"
    candidates = [default, root / "run/podman/podman.sock"]
    if env.get("XDG_RUNTIME_DIR"):
        runtime = Path(env["XDG_RUNTIME_DIR"])
        candidates[1:1] = [runtime / "docker.sock", runtime / "podman/podman.sock"]
    return f"unix://{next((path for path in candidates if _exists(path)), default)}"


def connect(
    env: Mapping[str, str] = os.environ,
    seconds: float = PROBE_SECONDS,
    address: str = "",
) -> docker.APIClient:
    """A client of an engine that has answered.

    Raises EngineAbsent, EngineDenied, EngineTooOld, EngineHangs or EngineFault, each naming
    the address that was tried.
    """
    address = address or find_address(env)
    if address.startswith("ssh://"):
        raise UsageError(
            f"{address}: rig talks to an engine over a socket, not over ssh",
            "Forward it: ssh -nNTL /tmp/engine.sock:/var/run/docker.sock HOST, "
            "then DOCKER_HOST=unix:///tmp/engine.sock",
        )
    with translated(address):
        client = docker.APIClient(
            base_url=address, version=MINIMUM_API, timeout=seconds, tls=_tls(env)
        )
        try:
            client._version = _agree(client.version(api_version=False), env, address)
        except BaseException:
            client.close()
            raise
    client.timeout = ANSWER_SECONDS
    return client


def _agree(server: Mapping[str, Any], env: Mapping[str, str], address: str) -> str:
    """The API version to speak: the engine's newest, or DOCKER_API_VERSION if set."""
    newest = str(server.get("ApiVersion", "0"))
    oldest = str(server.get("MinAPIVersion") or "0")
    asked = env.get("DOCKER_API_VERSION", "").removeprefix("v")
    chosen = asked or newest
    if _number(chosen) < _number(MINIMUM_API):
        whose = "DOCKER_API_VERSION asks for" if asked else f"the engine at {address} offers"
        raise EngineTooOld(
            f"{whose} API {chosen}; rig needs {MINIMUM_API} or newer",
            "Unset DOCKER_API_VERSION." if asked else "Update the engine (19.03 or newer).",
        )
    if not _number(oldest) <= _number(chosen) <= _number(newest):
        raise EngineTooOld(
            f"the engine at {address} speaks API {oldest} to {newest}; {chosen} was asked for",
            "Unset DOCKER_API_VERSION.",
        )
    return chosen


def _number(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(p.isdecimal() for p in parts) else (0,)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns what the client library raises into one exception a cause (rig.errors)."""
    try:
        yield
    except RigError:
        raise
    except (DockerException, requests.exceptions.RequestException, OSError) as error:
        raise explain(error, where) from error


def explain(error: BaseException, where: str) -> RigError:
    """The cause of ``error``, by the operating system's error deep within it."""
    if isinstance(error, TLSParameterError):
        return UsageError(f"{where}: TLS settings: {error}", "Check DOCKER_CERT_PATH.")
    if isinstance(error, APIError):
        kind = EngineDenied if error.status_code in (401, 403) else EngineFault
        text = str(error.explanation or error).strip()
        return kind(f"the engine at {where} answered with an error: {text}")
    for cause in _causes(error):
        found = _by_cause(cause, where)
        if found is not None:
            return found
    return EngineFault(f"the engine at {where} went away or is none: {error}")


def _by_cause(cause: BaseException, where: str) -> RigError | None:
    if isinstance(cause, PermissionError):
        return EngineDenied(
            f"a container engine is at {where} and this user may not talk to it",
            "Add the user to the group that owns the socket (docker) and log in again.",
        )
    if isinstance(cause, requests.exceptions.ReadTimeout):
        return EngineHangs(
            f"the engine at {where} accepts connections and does not answer (timeout)",
            "See the daemon's log; restart it.",
        )
    if isinstance(cause, socket.gaierror):
        return EngineAbsent(f"no container engine at {where}: unknown host", _START)
    refused = isinstance(cause, OSError) and cause.errno in _ABSENT
    if refused or isinstance(cause, requests.exceptions.ConnectTimeout):
        return EngineAbsent(f"no container engine listens at {where}", _START)
    return None


_ABSENT = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ENETUNREACH, errno.ECONNREFUSED, errno.EHOSTUNREACH}
)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and errors held in arguments, outermost first."""
    queue: list[BaseException] = [error]
    seen: set[int] = set()
    while queue:
        one = queue.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        held = [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
        queue += [item for item in held if isinstance(item, BaseException)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return True  # a folder that may not be searched: let connecting say "denied"


def _context_address(env: Mapping[str, str]) -> str:
    """The endpoint of the docker context in use; empty for the default one."""
    folder = Path(env.get("DOCKER_CONFIG") or Path(env.get("HOME", "/")) / ".docker")
    name = env.get("DOCKER_CONTEXT") or str(
        _json(folder / "config.json").get("currentContext", "")
    )
    if name in ("", "default"):
        return ""
    for meta in sorted(folder.glob("contexts/meta/*/meta.json")):
        content = _json(meta)
        if content.get("Name") == name:
            return str(content.get("Endpoints", {}).get("docker", {}).get("Host", ""))
    raise UsageError(
        f"the docker context {name!r} is in use and is not defined",
        "See `docker context ls`; `docker context use default` goes back.",
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _tls(env: Mapping[str, str]) -> Any:
    """TLS as DOCKER_TLS_VERIFY and DOCKER_CERT_PATH ask for."""
    certificates = env.get("DOCKER_CERT_PATH", "")
    verify = bool(env.get("DOCKER_TLS_VERIFY"))
    if not certificates and not verify:
        return False
    folder = Path(certificates or Path(env.get("HOME", "/")) / ".docker")
    return TLSConfig(
        client_cert=(str(folder / "cert.pem"), str(folder / "key.pem")),
        ca_cert=str(folder / "ca.pem"),
        verify=verify,
    )
