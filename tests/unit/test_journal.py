"""The journal: what was appended is read, whatever happens to its end."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from event_stream import ARM, CLANG, campaign, judged, mismatch, started
from hypothesis import given
from hypothesis import strategies as st

from rig import journal
from rig.errors import StoreFault, UsageError
from rig.events import BuildFailed, CampaignEnded, Event, Progress
from rig.journal import Journal, parse, read, tee


def write(path: Path, events: list[Event]) -> bytes:
    with Journal(path) as log:
        for event in events:
            log.append(event)
    return path.read_bytes()


def kept(events: list[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event, Progress)]


def test_reads_what_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "a.jsonl"
    write(path, campaign())
    assert read(path) == (kept(campaign()), False)


def test_cut_at_every_byte_gives_a_prefix(tmp_path: Path) -> None:
    events = [started(), *judged(CLANG, "rolled", mismatch()), CampaignEnded(True, "", 1.0)]
    content = write(tmp_path / "a.jsonl", events)
    ends = [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]
    for length in range(len(content)):
        whole = sum(end <= length for end in ends)
        found, cut = parse(content[:length], "a")
        assert found == events[: max(0, whole - 1)]
        assert cut == (length not in ends)


def test_goes_on_after_a_cut_at_every_byte(tmp_path: Path) -> None:
    events = [started(), *judged(ARM, "unrolled")]
    content = write(tmp_path / "whole.jsonl", events)
    path = tmp_path / "cut.jsonl"
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        before, _ = read(path)
        with Journal(path) as log:
            log.append(events[-1])
        assert read(path) == ([*before, events[-1]], False)


def test_last_line_of_zeros_is_a_cut(tmp_path: Path) -> None:
    content = write(tmp_path / "a.jsonl", [started()])
    assert parse(content + b"\0" * 40 + b"\n", "a") == ([started()], True)


def test_damage_before_the_end_is_told_with_its_line(tmp_path: Path) -> None:
    lines = write(tmp_path / "a.jsonl", campaign()).splitlines(keepends=True)
    lines[3] = b'{"kind": "cell-judged", "setup": 3}\n'
    with pytest.raises(UsageError, match="line 4 is damaged"):
        parse(b"".join(lines), "a")


@pytest.mark.parametrize("content", [b"\x7fELF\x02\n", b"[]\n", b"{}\n", b"plain"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(UsageError, match="not a journal"):
        parse(content, "a")


def test_other_schema_names_both() -> None:
    with pytest.raises(UsageError, match=r"hashrig-journal/9.*hashrig-journal/1"):
        parse(b'{"schema": "hashrig-journal/9"}\n', "a")


def test_a_foreign_file_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine\n")
    with pytest.raises(UsageError, match="not a journal"):
        Journal(path)
    assert path.read_text() == "mine\n"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_survives_or_is_replaced(text: str) -> None:
    event = BuildFailed("s", "c", text, ("cc", text), "image", text)
    header = b'{"schema": "hashrig-journal/1"}\n'
    (found,), cut = parse(header + journal.encode(event) + b"\n", "a")
    clean = text.encode("utf-8", "replace").decode()
    assert found == BuildFailed("s", "c", clean, ("cc", clean), "image", clean)
    assert not cut


def test_numbers_that_json_lacks_become_null() -> None:
    assert journal.plain([float("nan"), float("inf"), 1.5]) == [None, None, 1.5]


def test_an_interrupted_write_leaves_no_torn_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Journal(tmp_path / "a.jsonl")
    log.append(started())
    real = os.pwrite

    def half_then_interrupt(fd: int, data: bytes, offset: int) -> int:
        real(fd, data[: len(data) // 2], offset)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "pwrite", half_then_interrupt)
    with pytest.raises(KeyboardInterrupt):
        log.append(started())
    monkeypatch.undo()
    assert read(log.path) == ([started()], False)
    log.append(CampaignEnded(False, "", 1.0))
    assert read(log.path) == ([started(), CampaignEnded(False, "", 1.0)], False)
    log.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_a_store_fault(tmp_path: Path) -> None:
    log = Journal(tmp_path / "a.jsonl")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, log._fd)
    os.close(full)
    with pytest.raises(StoreFault, match="cannot be written"):
        log.append(started())


def test_a_file_as_a_folder_is_a_store_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFault, match="cannot be written"):
        Journal(tmp_path / "file" / "a.jsonl")


def test_threads_do_not_mix_lines(tmp_path: Path) -> None:
    log = Journal(tmp_path / "a.jsonl")
    seen: list[Event] = []
    sink = tee(log.append, seen.append)
    events = judged(CLANG, "rolled", mismatch())

    def work() -> None:
        for _ in range(20):
            for event in events:
                sink(event)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    assert read(log.path) == (seen, False)
    assert len(seen) == 4 * 20 * len(events)
