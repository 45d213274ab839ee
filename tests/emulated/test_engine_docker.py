"""The container engine keeps what every engine promises, and locks its boxes down."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from docker.errors import APIError
from engine_contract import LIMITS, EngineContract, read_all

from rig.engines.clean import clean, sweep
from rig.engines.connect import connect, find_address
from rig.engines.docker import DockerEngine
from rig.engines.image import LABEL, Recipe, ensure_image
from rig.engines.streams import pack
from rig.errors import EngineFault, EngineHangs, ImageFault
from rig.model import ImageSpec, Job, Limits, Ready

BASE = "debian:trixie-slim"


@pytest.fixture(scope="module")
def client(request):
    if request.config.getoption("--rig-engine", default="docker") == "host":
        pytest.skip("--rig-engine=host: no container engine is to be used")
    client = connect()
    yield client
    client.close()


def boxes(client) -> list[str]:
    """Containers that this process has made and not removed."""
    found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    mine = f"/{os.getpid()}/"
    return [box["Id"] for box in found if mine in box["Labels"][f"{LABEL}.owner"]]


@pytest.fixture
def engine(client, tmp_path):
    engine = DockerEngine(Recipe(tmp_path, tmp_path), client)
    yield engine
    engine.close()
    assert boxes(client) == []


@pytest.fixture
def ready(client):
    """The base image is enough for what an engine promises."""
    return Ready(ImageSpec("any"), BASE, client.inspect_image(BASE)["Id"])


class TestDockerEngine(EngineContract):
    # Process 1 cannot be killed from within its namespace; all below it can.
    end_box = "kill -9 -1"

    def shell(self, engine, ready, script: str, limits: Limits = LIMITS) -> str:
        channel = engine.open(ready, ["sh", "-c", f"({script}) 2>&1"], {}, limits)
        out = read_all(channel).decode()
        channel.close()
        return out

    def test_the_user_is_nobody_without_capabilities(self, engine, ready):
        status = self.shell(
            engine, ready, "id -u; grep -E '^(CapBnd|CapEff|NoNew)' /proc/self/status"
        )
        assert status.split() == [
            "65534", "CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1",
        ]  # fmt: skip

    def test_the_root_is_read_only_and_the_work_folder_is_not(self, engine, ready):
        out = self.shell(
            engine, ready, "grep ' / ' /proc/mounts | cut -d' ' -f4; touch ok && ls"
        )
        assert out.startswith("ro,")
        assert out.endswith("ok\n")

    def test_there_is_no_network(self, engine, ready):
        assert self.shell(engine, ready, "ls /sys/class/net").split() == ["lo"]

    def test_the_work_folder_is_bounded(self, engine, ready):
        out = self.shell(engine, ready, "head -c 30000000 /dev/zero >big; wc -c <big")
        assert "No space left" in out
        assert int(out.split()[-1]) <= LIMITS.disk

    def test_the_number_of_processes_is_bounded(self, engine, ready):
        script = "for i in $(seq 200); do sleep 5 & done; echo all"
        assert "all" not in self.shell(engine, ready, script, Limits(pids=20))

    def test_running_out_of_memory_is_told(self, engine, ready):
        channel = engine.open(ready, ["tail", "/dev/zero"], {}, LIMITS)
        assert read_all(channel) == b""
        ended = channel.close(grace=30)
        assert (ended.oom, ended.signal, ended.killed) == (True, signal.SIGKILL, False)

    def test_a_job_out_of_memory_says_so(self, engine, ready):
        jobs = [Job("greedy", ("tail", "/dev/zero")), Job("modest", ("true",))]
        done = self.run(engine, ready, jobs)
        assert done["modest"].code == 0
        assert done["greedy"].code == 137
        assert b"ran out of memory (limit 64 MiB)" in done["greedy"].stderr

    def test_a_box_removed_by_others_is_lost(self, engine, ready, client):
        channel = engine.open(ready, ["sleep", "100"], {}, LIMITS)
        client.remove_container(boxes(client)[0], force=True)
        assert channel.read(1, 30) == b""
        assert "removed by someone else" in channel.close().lost

    def test_files_beyond_the_work_folder_are_a_fault(self, engine, ready):
        with pytest.raises(EngineFault, match="could not be started") as caught:
            engine.open(ready, ["true"], {"big": b"x" * (LIMITS.disk + 1)}, LIMITS)
        assert "could not take its files in" in caught.value.detail

    def test_an_image_that_is_not_there_is_a_fault(self, engine):
        absent = Ready(ImageSpec("any"), "absent", "sha256:" + "0" * 64)
        with pytest.raises(EngineFault, match="No such image"):
            engine.open(absent, ["true"], {}, LIMITS)

    def test_what_a_killed_rig_left_is_swept(self, ready, client):
        script = (
            "import os; from pathlib import Path; from rig.model import *\n"
            "from rig.engines.docker import DockerEngine, Recipe\n"
            "e = DockerEngine(Recipe(Path(), Path()))\n"
            f"r = Ready(ImageSpec('any'), '', {ready.id!r})\n"
            "e.open(r, ['sleep', '1000'], {}, Limits()); os.kill(os.getpid(), 9)"
        )
        rig = subprocess.Popen([sys.executable, "-c", script])
        assert rig.wait() == -signal.SIGKILL
        assert sweep(client, force=False).removed >= 1
        left = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
        assert not [box for box in left if f"/{rig.pid}/" in box["Labels"][f"{LABEL}.owner"]]

    def test_a_living_rig_keeps_its_boxes_when_another_cleans(self, engine, ready, client):
        channel = engine.open(ready, ["cat"], {}, LIMITS)
        assert clean(client).boxes.kept >= 1
        channel.write(b"x", 10)
        assert channel.read(1, 10) == b"x"


class Forwarder:
    """Makes the engine's socket reachable by TCP: an engine that does not see this disk.

    ``cut`` breaks all connections, as an engine does that dies.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._server = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[socket.socket] = []
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._path)
                self._pairs += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for one in self._pairs:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def remote(client):
    address = find_address()
    if not address.startswith("unix://"):
        pytest.skip(f"the engine is not local: {address}")
    forwarder = Forwarder(address.removeprefix("unix://"))
    yield forwarder
    with suppress(OSError):
        forwarder.cut()


def test_an_engine_is_asked_once_what_it_is(engine, client, monkeypatch):
    """Every item of a pytest run tells it: asking each time cost six milliseconds an item."""
    asked = []
    version = client.version
    monkeypatch.setattr(client, "version", lambda: asked.append(1) or version())
    assert engine.describe() == engine.describe()
    assert engine.describe().startswith(("Docker ", "Podman "))
    assert asked == [1]


def test_a_remote_engine_works_the_same(remote, ready, tmp_path):
    engine = DockerEngine(Recipe(tmp_path, tmp_path), connect({"DOCKER_HOST": remote.address}))
    channel = engine.open(ready, ["cat", "f", "-"], {"f": b"file,"}, LIMITS)
    channel.write(b"input", 10)
    channel.end_input()
    assert read_all(channel) == b"file,input"
    assert channel.close(grace=10).code == 0
    engine.close()


def test_an_engine_that_dies_midway_is_told(remote, ready, client, tmp_path):
    engine = DockerEngine(Recipe(tmp_path, tmp_path), connect({"DOCKER_HOST": remote.address}))
    channel = engine.open(ready, ["cat"], {}, LIMITS)
    remote.cut()
    assert channel.read(1, 10) == b""
    assert "engine went away" in channel.close().lost
    with pytest.raises(EngineFault.__base__):
        engine.open(ready, ["cat"], {}, LIMITS)
    for box in boxes(client):
        client.remove_container(box, force=True)


class BusyClient:
    """A fake: an engine that is too busy to remove boxes until it is let."""

    def __init__(self, client) -> None:
        self._client = client
        self.busy = True
        self.asked = 0

    def __getattr__(self, name):
        return getattr(self._client, name)

    def remove_container(self, name, **options):
        self.asked += 1
        if self.busy:
            raise APIError("removal of container is already in progress")
        self._client.remove_container(name, **options)


def test_a_box_that_could_not_be_removed_is_removed_later(client, ready, tmp_path, monkeypatch):
    monkeypatch.setattr("rig.engines.clean.REMOVAL_SECONDS", 0.2)
    busy = BusyClient(client)
    engine = DockerEngine(Recipe(tmp_path, tmp_path), busy)
    assert engine.open(ready, ["true"], {}, LIMITS).close(grace=10).code == 0
    assert busy.asked > 1
    assert len(boxes(client)) == 1
    (stuck,) = sweep(busy, force=True).stuck
    assert stuck == boxes(client)[0]
    busy.busy = False
    engine.close()
    assert boxes(client) == []


class ForgetfulClient(BusyClient):
    """A fake: an engine whose answer to a creation is lost, while the box is made."""

    def create_container(self, *args, **options):
        self._client.create_container(*args, **options)
        raise TimeoutError("timed out")


def test_a_box_whose_creation_was_not_answered_is_removed(client, ready, tmp_path):
    forgetful = ForgetfulClient(client)
    forgetful.busy = False
    engine = DockerEngine(Recipe(tmp_path, tmp_path), forgetful)
    with pytest.raises(EngineFault.__base__):
        engine.open(ready, ["true"], {}, LIMITS)
    assert boxes(client) == []
    engine.close()


def test_a_daemon_that_hangs_is_told_from_one_that_is_absent(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        with pytest.raises(EngineHangs, match="does not answer"):
            connect({"DOCKER_HOST": f"unix://{tmp_path}/s"}, seconds=0.3)


# ---------------------------------------------------------------- images


@pytest.fixture
def recipe(tmp_path, client):
    """A recipe that installs nothing; what it builds is removed."""
    for folder in ("common", "tiny"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "apt.txt").write_text("# nothing\n")
    write_recipe(tmp_path, "RUN echo one")
    recipe = Recipe(tmp_path, tmp_path / "locks")
    yield recipe
    for image in client.images(recipe.repository(ImageSpec("tiny"))):
        for tag in image["RepoTags"]:
            client.remove_image(tag)
    clean(client)


def write_recipe(folder, step: str, base: str = BASE) -> None:
    (folder / "Dockerfile").write_text(
        f"FROM {base}\nLABEL io.hashrig=1\nARG TARGET\nARG EXTRA=\n{step}\n"
        'LABEL io.hashrig.extra="${EXTRA}"\n'
    )


def dangling(client) -> int:
    return len(client.images(filters={"label": LABEL, "dangling": True}))


def test_ten_rebuilds_leave_a_bounded_number_of_images(recipe, client):
    before = dangling(client)
    for number in range(10):
        write_recipe(recipe.folder, f"RUN echo {number}")
        ready = ensure_image(client, recipe, ImageSpec("tiny"), print)
    assert len(client.images(recipe.repository(ImageSpec("tiny")))) == 2
    assert dangling(client) <= before
    assert ensure_image(client, recipe, ImageSpec("tiny"), pytest.fail) == ready


def test_an_image_that_is_built_from_old_steps_stays(recipe, client):
    """Its date is that of the steps, so that it looks older than what was built since."""
    kept = "hashrig-trixie-kept:here"  # another tag, so that its steps stay
    for step in ("one", "two", "three", "one"):
        write_recipe(recipe.folder, f"RUN sleep 1; echo {step}")  # dates are seconds
        ready = ensure_image(client, recipe, ImageSpec("tiny"), print)
        if step == "one":
            client.tag(ready.id, *kept.split(":"))
    assert ready.id == client.inspect_image(kept)["Id"]
    client.remove_image(kept)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            "RUN echo 'E: The repository does not have a Release file.'; exit 100",
            "package index",
        ),
        ("RUN echo 'E: Unable to locate package gcc-x'; exit 100", "no package gcc-x"),
        ("RUN echo 'tar: write: No space left on device'; exit 1", "disk full"),
        ("RUN exit 3", "returned a non-zero code: 3"),
    ],
)
def test_a_failed_build_says_why(recipe, client, step, message):
    write_recipe(recipe.folder, step)
    with pytest.raises(ImageFault, match=message) as caught:
        ensure_image(client, recipe, ImageSpec("tiny"), print)
    assert "Step 5" in caught.value.detail
    assert dangling(client) == 0


def empty_image(tag: str, architecture: str) -> bytes:
    """An image without files, as `docker save` writes one."""
    layer = b"\0" * 10240
    config = {
        "architecture": architecture,
        "os": "linux",
        "rootfs": {
            "type": "layers",
            "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"],
        },
    }
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    return pack(
        {
            "config.json": json.dumps(config).encode(),
            "layer.tar": layer,
            "manifest.json": json.dumps(manifest).encode(),
        }
    )


def test_a_base_of_another_architecture_is_refused(recipe, client):
    base = "debian:foreign-slim"
    write_recipe(recipe.folder, "RUN true", base)
    other = "arm64" if client.info()["Architecture"] == "x86_64" else "amd64"
    client.load_image(empty_image(base, other))
    try:
        with pytest.raises(ImageFault, match=rf"linux/{other}; this engine needs linux/"):
            ensure_image(client, recipe, ImageSpec("tiny", release="foreign"), print)
    finally:
        client.remove_image(base)


def test_a_base_that_no_registry_gives_is_named(recipe, client):
    with pytest.raises(ImageFault, match="debian:nosuchrelease-slim") as caught:
        ensure_image(client, recipe, ImageSpec("tiny", release="nosuchrelease"), print)
    assert "make images" in caught.value.hint


def test_four_processes_build_an_image_once(recipe, client):
    script = (
        "from pathlib import Path; from rig.engines.image import *; from rig.engines.connect "
        "import connect; from rig.model import ImageSpec\n"
        f"r = Recipe(Path({str(recipe.folder)!r}), Path({str(recipe.locks)!r}))\n"
        "ensure_image(connect(), r, ImageSpec('tiny'), print)"
    )
    command = [sys.executable, "-c", script]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    printed = [worker.communicate()[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert sum(b"built image" in text for text in printed) == 1
