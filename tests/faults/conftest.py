"""What the fault tests share: one lab, rig as a process of its own, and a look at what is left.

Everything goes into a folder of this session, so that leftovers can be counted, also beside
other users of the same engine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import Place, Recorder, docker_reason

from rig import catalog, lab
from rig.engines.connect import connect
from rig.store import Store


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Cache and temporary folder of this session."""
    found = Place(tmp_path_factory.mktemp("faults"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(found.tmp))
        yield found


@pytest.fixture(scope="session")
def client(request: pytest.FixtureRequest) -> Iterator[object]:
    """A client of the container engine; tests that need one are skipped where none is."""
    reason = docker_reason(request.config.getoption("--rig-engine"))
    if reason:
        pytest.skip(reason)
    client = connect()
    yield client
    client.close()


@pytest.fixture(scope="session")
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(scope="session")
def docker_lab(client: object, place: Place, recorder: Recorder) -> Iterator[lab.Lab]:
    """A lab in containers."""
    known = catalog.load()
    engine = lab.open_engine("docker", known, place.cache)
    with lab.Lab(known, engine, Store(place.cache), recorder, jobs=2) as opened:
        yield opened


@pytest.fixture
def core_folder() -> Path:
    return Path(__file__).parent / "cores"
