"""The document: a fold over events, saved, read back and validated."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from event_stream import ARM, CLANG, GCC, X86, campaign, judged, mismatch, started

from rig.errors import ExitCode, StoreFault, UsageError
from rig.events import CampaignEnded, CellJudged, Event, SetupFailed
from rig.report.document import SCHEMA, Report, from_json, json_schema, load, save, to_json
from rig.report.fold import fold
from rig.verdicts import Verdict


def report() -> Report:
    return fold(campaign())


def test_cells_hold_what_was_said_of_them() -> None:
    cell = report().cell(CLANG, "rolled")
    assert cell is not None
    assert cell.verdict is Verdict.MISMATCH
    assert cell.finding == mismatch()
    assert [check.check for check in cell.checks] == ["vectors", "lengths"]
    assert (cell.tried, cell.seconds) == (1112, 1.75)
    size = cell.measurement("size")
    assert size is not None
    assert size.value == 3627
    assert cell.measurement("work") is None


def test_a_failed_setup_gives_its_verdict_to_its_cells() -> None:
    found = report()
    assert [found.cell(X86, core).verdict for core in ("unrolled", "rolled")] == [  # type: ignore[union-attr]
        Verdict.ENVIRONMENT
    ] * 2
    failure = found.setup(X86).failure
    assert failure is not None
    assert "could not be built" in failure.message


def test_facts_flags_timings_and_counts() -> None:
    found = report()
    facts = found.setup(GCC).facts
    assert facts is not None
    assert facts.version == "14.2.0"
    assert found.setup(GCC).flags == ("-O2", "-m32")
    timed = {pair.setup: len(pair.timings) for pair in found.pairs}
    assert timed == {GCC: 1, CLANG: 1, ARM: 0, X86: 0}
    assert found.counts == {"compilations": 5}
    assert (found.complete, found.judged, found.seconds) == (True, 8, 9.25)


def test_every_prefix_folds_and_is_partial() -> None:
    events = campaign()
    for length in range(1, len(events)):
        part = fold(events[:length])
        assert not part.complete
        assert part.reason
        assert len(part.cells) == 8
        assert from_json(to_json(part), "part") == part


def test_nothing_begun_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no campaign"):
        fold([])


def test_an_end_without_all_cells_is_not_complete() -> None:
    events: list[Event] = [started(), *judged(GCC, "rolled"), CampaignEnded(True, "", 1.0)]
    assert not fold(events).complete


def test_a_cell_judged_again_keeps_the_last_word() -> None:
    again: list[Event] = [*campaign(), CellJudged(CLANG, "rolled", Verdict.PASS)]
    cell = fold(again).cell(CLANG, "rolled")
    assert cell is not None
    assert cell.verdict is Verdict.PASS


def test_events_of_a_control_core_make_no_cell() -> None:
    events: list[Event] = [started(), *judged(GCC, "control")]
    assert fold(events).cell(GCC, "control") is None


@pytest.mark.parametrize(
    ("events", "code"),
    [
        (campaign(), ExitCode.CORE_FAILED),
        ([started()], ExitCode.ENVIRONMENT),
        ([started(), SetupFailed(GCC, Verdict.ENVIRONMENT, "no")], ExitCode.ENVIRONMENT),
    ],
)
def test_exit_code_by_blame(events: list[Event], code: ExitCode) -> None:
    assert fold(events).exit_code == code


def test_round_trip_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    save(report(), path)
    assert load(path) == report()
    assert json.loads(path.read_bytes())["schema"] == SCHEMA
    assert os.listdir(tmp_path) == ["report.json"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_save_that_fails_keeps_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreFault, match="No space left"):
        save(report(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_missing_folder_is_a_store_fault(tmp_path: Path) -> None:
    with pytest.raises(StoreFault, match="cannot be written"):
        save(report(), tmp_path / "none" / "report.json")


def test_a_pipe_is_written_not_replaced(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    small = fold([started()])
    save(small, Path(f"/dev/fd/{writer}"))
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        assert from_json(file.read(), "pipe") == small


def test_cut_at_every_byte_is_told() -> None:
    content = to_json(fold([started()]))
    for length in range(len(content) - 2):
        with pytest.raises(UsageError, match=r"cut off after|is not JSON"):
            from_json(content[:length], "r.json")
    with pytest.raises(UsageError, match="cut off after 100 bytes"):
        from_json(content[:100], "r.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a report"),
        (b'{"schema": 1}', "not a report"),
        (
            b'{"schema": "hashrig-report/2"}',
            r"hashrig-report/2, this rig reads hashrig-report/1",
        ),
        (
            b'{"schema": "hashrig-report/1"}',
            "not a valid hashrig-report/1: rig: Field required",
        ),
    ],
)
def test_what_is_no_report(content: bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        from_json(content, "r.json")


def test_a_wrong_value_is_told_with_its_place() -> None:
    document = json.loads(to_json(report()))
    document["cells"][1]["verdict"] = "FINE"
    with pytest.raises(UsageError, match=r"cells\.1\.verdict"):
        from_json(json.dumps(document).encode(), "r.json")


def test_unknown_keys_are_ignored() -> None:
    document = json.loads(to_json(report()))
    document["later"] = 1
    assert from_json(json.dumps(document).encode(), "r.json") == report()


def test_the_schema_names_every_key() -> None:
    document = json.loads(to_json(report()))
    schema = json_schema()
    assert schema["$id"] == SCHEMA
    assert set(schema["properties"]) == set(document)
