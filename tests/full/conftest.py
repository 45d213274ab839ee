"""Debian's kernel sources, fetched for the long tests and not kept; one lab for all of them."""

from __future__ import annotations

import base64
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from rig import catalog
from rig.lab import Lab, open_engine
from rig.store import Store

FETCH = """
set -e
echo 'deb http://deb.debian.org/debian trixie-backports main' >>/etc/apt/sources.list
apt-get -q update >&2
DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends xz-utils >&2
cd /tmp
for version; do
    apt-get -q download linux-source-$version >&2
    mkdir -p out/$version
    dpkg-deb --fsys-tarfile linux-source-$version*.deb | tar -xO --wildcards '*.tar.xz' |
        xz -dc | tar -x -C out/$version --strip-components=1 --wildcards \\
            '*/crypto/Makefile' '*/blake2b*' >&2
    rm linux-source-$version*.deb
done
tar -cz -C out . | base64  # the log of a container is text
"""


def from_container(folder: Path, script: str, *arguments: str) -> Path:
    """Unpacks what a script prints as a tar: the log of a container is text, hence base64."""
    command = ["sh", "-c", script, "sh", *arguments]
    packed = docker.from_env().containers.run(
        "debian:trixie-slim", command, remove=True, labels={"hashrig": "test"}
    )
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed))) as tar:
        tar.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def container(request):
    """:func:`from_container`, where there are containers."""
    if request.config.getoption("--rig-engine", default="docker") == "host":
        pytest.skip("--rig-engine=host: sources are fetched in a container")
    return from_container


@pytest.fixture(scope="session")
def trees(container, tmp_path_factory) -> Path:
    """A folder with ``7.2`` and ``6.12``: of each, the files of BLAKE2b alone."""
    return container(tmp_path_factory.mktemp("linux"), FETCH, "7.2", "6.12")


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """With an empty store: everything is compiled here and now."""
    cache = tmp_path_factory.mktemp("cache")
    known = catalog.load()
    engine = open_engine("docker", known, cache)
    with Lab(known, engine, Store(cache), lambda event: None) as lab:
        yield lab
