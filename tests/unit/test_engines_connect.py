"""Where an engine is looked for, and why one cannot be used: each cause is told apart."""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import suppress

import pytest

from rig.engines.connect import connect, explain, find_address
from rig.errors import (
    EngineAbsent,
    EngineDenied,
    EngineFault,
    EngineHangs,
    EngineTooOld,
    UsageError,
)


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return f"unix://{path}"


def test_docker_host_comes_first(tmp_path):
    touch(tmp_path / "var/run/docker.sock")
    assert find_address({"DOCKER_HOST": "tcp://there:1"}, tmp_path) == "tcp://there:1"


def test_the_context_in_use_comes_second(tmp_path):
    meta = {"Name": "far", "Endpoints": {"docker": {"Host": "tcp://far:2375"}}}
    folder = tmp_path / "contexts/meta/abc"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps(meta))
    (tmp_path / "config.json").write_text('{"currentContext": "far"}')
    env = {"DOCKER_CONFIG": str(tmp_path)}
    assert find_address(env, tmp_path) == "tcp://far:2375"
    with pytest.raises(UsageError, match="near"):
        find_address(env | {"DOCKER_CONTEXT": "near"}, tmp_path)


def test_known_sockets_in_order(tmp_path):
    env = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "me")}
    docker = f"unix://{tmp_path}/var/run/docker.sock"
    assert find_address(env, tmp_path) == docker
    system = touch(tmp_path / "run/podman/podman.sock")
    assert find_address(env, tmp_path) == system
    mine = touch(tmp_path / "me/podman/podman.sock")
    assert find_address(env, tmp_path) == mine
    rootless = touch(tmp_path / "me/docker.sock")
    assert find_address(env, tmp_path) == rootless
    touch(tmp_path / "var/run/docker.sock")
    assert find_address(env, tmp_path) == docker


def test_a_socket_that_is_not_there_is_absent(tmp_path):
    with pytest.raises(EngineAbsent, match=r"no container engine listens at unix://.*/none"):
        connect({"DOCKER_HOST": f"unix://{tmp_path}/none"})


def test_a_stopped_daemon_is_absent(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    with pytest.raises(EngineAbsent, match="listens"):
        connect({"DOCKER_HOST": f"unix://{path}"})


def test_a_port_without_listener_is_absent():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(EngineAbsent, match=f"127.0.0.1:{port}"):
        connect({"DOCKER_HOST": f"tcp://127.0.0.1:{port}"})


def test_a_socket_of_others_is_denied(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        path.chmod(0)
        if os.geteuid() == 0:
            # root may do anything: ask in a child that is nobody
            tmp_path.chmod(0o755)
            assert connect_as_nobody(path) == "EngineDenied"
        else:
            with pytest.raises(EngineDenied, match="may not talk"):
                connect({"DOCKER_HOST": f"unix://{path}"})


def connect_as_nobody(path) -> str:
    """Name of the exception that a child without privileges gets."""
    for parent in path.parents:
        with suppress(PermissionError):
            parent.chmod(parent.stat().st_mode | 0o011)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            connect({"DOCKER_HOST": f"unix://{path}"}, seconds=5)
            name = "connected"
        except BaseException as error:
            name = type(error).__name__
        os.write(write, name.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with open(read, "rb") as pipe:
        return pipe.read().decode()


def test_ssh_is_refused_with_the_way_round():
    with pytest.raises(UsageError, match="ssh -nNTL"):
        connect({"DOCKER_HOST": "ssh://there"})


class FakeEngine:
    """Answers every request with one fixed reply: for engines that nobody can install here."""

    def __init__(self, reply: bytes) -> None:
        self._reply = reply
        self._server = socket.create_server(("127.0.0.1", 0))
        self.env = {"DOCKER_HOST": f"tcp://127.0.0.1:{self._server.getsockname()[1]}"}
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self._server.accept()
                with peer:
                    peer.recv(65536)
                    peer.sendall(self._reply)

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def fake():
    engines = []

    def make(status: str, body: object) -> dict[str, str]:
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        engines.append(FakeEngine(head.encode() + text))
        return engines[-1].env

    yield make
    for engine in engines:
        engine.close()


def test_an_old_engine_is_told_with_both_versions(fake):
    with pytest.raises(EngineTooOld, match=r"offers API 1\.24; rig needs 1\.40"):
        connect(fake("200 OK", {"ApiVersion": "1.24", "MinAPIVersion": "1.12"}))


def test_a_pinned_version_is_told_with_both_versions(fake):
    answer = {"ApiVersion": "1.52", "MinAPIVersion": "1.44"}
    env = fake("200 OK", answer)
    with pytest.raises(EngineTooOld, match=r"asks for API 1\.35; rig needs 1\.40"):
        connect(env | {"DOCKER_API_VERSION": "1.35"})
    with pytest.raises(EngineTooOld, match=r"speaks API 1\.44 to 1\.52; 1\.43 was asked for"):
        connect(env | {"DOCKER_API_VERSION": "1.43"})
    assert connect(env).api_version == "1.52"


def test_an_engine_that_wants_no_strangers_is_denied(fake):
    with pytest.raises(EngineDenied, match="no strangers"):
        connect(fake("403 Forbidden", {"message": "no strangers"}))


def test_something_else_that_listens_is_a_fault():
    fake = FakeEngine(b"SSH-2.0-OpenSSH_9.9\r\n")
    with pytest.raises(EngineFault, match="or is none"):
        connect(fake.env)
    fake.close()


def test_an_engine_that_does_not_answer_hangs():
    with socket.create_server(("127.0.0.1", 0)) as server:
        env = {"DOCKER_HOST": f"tcp://127.0.0.1:{server.getsockname()[1]}"}
        with pytest.raises(EngineHangs, match="timeout"):
            connect(env, seconds=0.2)


def test_every_cause_exits_with_3():
    for error in (PermissionError(13, "x"), FileNotFoundError(2, "x"), RuntimeError("x")):
        assert explain(error, "there").exit_code == 3
