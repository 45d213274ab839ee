"""The store: whole entries or none, whoever dies and whatever the disk says."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import StoreFault
from rig.store import Store, key_of

PLAIN = st.recursive(
    st.one_of(st.text(max_size=5), st.binary(max_size=5), st.integers()),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


@given(st.lists(PLAIN, max_size=3), st.lists(PLAIN, max_size=3))
def test_keys_differ_when_the_parts_do(one, other):
    assert (key_of(*one) == key_of(*other)) == (one == other)


def test_keys_do_not_depend_on_the_order_of_a_mapping():
    assert key_of({"a": b"1", "b": b"2"}) == key_of({"b": b"2", "a": b"1"})
    assert key_of({"a": b"1"}) != key_of({"a": b"2"})


def test_what_is_put_is_found_again(store):
    key = key_of("x")
    assert store.get(key) is None
    store.put(key, {"core.o": b"\x7fELF", "log.txt": b""})
    assert Store(store.root).get(key) == {"core.o": b"\x7fELF", "log.txt": b""}


def test_a_second_put_changes_nothing(store):
    key = key_of("x")
    store.put(key, {"a": b"1"})
    store.put(key, {"a": b"2"})
    assert store.get(key) == {"a": b"1"}
    assert not list(store.root.glob("store/tmp-*"))


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "meta"])
def test_a_damaged_entry_counts_as_absent(store, damage):
    key = key_of("x")
    store.put(key, {"a": b"12345"})
    file = store.path(key) / "a"
    if damage == "cut":
        file.write_bytes(b"12")
    elif damage == "changed":
        file.write_bytes(b"12346")
    elif damage == "missing":
        file.unlink()
    else:
        (store.path(key) / "entry.json").write_bytes(b"{")
    assert store.get(key) is None
    store.put(key, {"a": b"12345"})
    assert store.get(key) == {"a": b"12345"}


def test_a_place_that_cannot_be_written_is_told_with_the_way_out(tmp_path):
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    with pytest.raises(StoreFault) as caught:
        store.put(key_of("x"), {"a": b""})
    assert str(tmp_path / "file") in caught.value.what
    assert "RIG_CACHE" in caught.value.hint


HOLDER = """
    import sys, time
    from pathlib import Path
    from rig.store import Store
    with Store(Path(sys.argv[1])).locked(["ab", "cd"]):
        print("held", flush=True)
        time.sleep(600)
"""


def start(store):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDER), str(store.root)],
        stdout=subprocess.PIPE,
        text=True,
    )


def hold(store):
    holder = start(store)
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_killed_holder_lets_go_of_its_locks(store):
    holder = hold(store)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with store.locked(["cd", "ab"]):
        pass


def test_locks_exclude_another_process(store):
    holder = hold(store)
    waiter = start(store)
    try:
        readable, _, _ = select.select([waiter.stdout], [], [], 1.0)
        assert not readable
        holder.kill()
        assert waiter.stdout.readline() == "held\n"
    finally:
        for process in (holder, waiter):
            process.kill()
            process.wait()


def test_sweep_removes_what_the_dead_left_and_nothing_else(store):
    store.put(key_of("x"), {"a": b""})
    dead = subprocess.Popen(["true"])
    dead.wait()
    (store.root / "store" / f"tmp-{dead.pid}-00").mkdir()
    (store.root / "store" / f"tmp-{os.getpid()}-00").mkdir()
    assert store.sweep() == 1
    assert [p.name for p in store.root.glob("store/tmp-*")] == [f"tmp-{os.getpid()}-00"]
    assert store.get(key_of("x")) is not None


def test_clear_counts_what_it_removes(store):
    for name in "abc":
        store.put(key_of(name), {"a": b""})
    assert store.clear() == 3
    assert store.get(key_of("a")) is None
