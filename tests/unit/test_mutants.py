"""Mutants as data: every edit applies to one place, and what became of them is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rig import catalog
from rig.cli import app
from rig.errors import ConfigError
from rig.mutants import Mutant, Shows
from rig.mutants.hunting import TARGETS, Hunt, Kill, default_setups
from rig.mutants.reading import core_of, load_mutants, mutated, original, read_class
from rig.mutants.suites import KUNIT_LENGTHS, kunit_data, suites
from rig.mutants.telling import compared, listed, told
from rig.oracle import Oracle
from rig.report.layout import WIDTH
from rig.verdicts import Verdict

KNOWN = catalog.load()
MUTANTS = load_mutants()
ROTATE = Mutant("rotate", "rotation", "rolled", "ror64(d ^ a, 32)", "ror64(d ^ a, 31)")


def test_there_are_enough_of_every_class() -> None:
    kinds = Counter(mutant.kind for mutant in MUTANTS if not mutant.equivalent)
    assert kinds.total() >= 200
    assert min(kinds.values()) >= 5
    assert {mutant.shows for mutant in MUTANTS} == set(Shows)


@pytest.mark.parametrize("kind", sorted({mutant.kind for mutant in MUTANTS}))
def test_every_edit_applies_and_no_two_are_alike(kind: str) -> None:
    chosen = [mutant for mutant in MUTANTS if mutant.kind == kind]
    texts = {mutant.source: [] for mutant in chosen}
    for mutant in chosen:
        core = core_of(mutant, KNOWN)
        texts[mutant.source].append(core.files[core.unit])
    for source, made in texts.items():
        unmutated = original(source, KNOWN)
        assert len({*made, unmutated.files[unmutated.unit]}) == len(made) + 1


def test_an_equivalent_is_argued() -> None:
    for mutant in MUTANTS:
        assert not mutant.equivalent or len(mutant.equivalent.split()) >= 5


def test_the_driver_is_one_unit_with_a_core() -> None:
    core = original("driver", KNOWN)
    text = core.files[core.unit].decode()
    assert core.adapter == "full"
    assert "void blake2b_compress(" in text
    assert "void blake2b_final(" in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"at": "no such text"}, "'no such text' is missing"),
        ({"at": "ror64("}, "'ror64\\(' is ambiguous"),
        ({"at": ""}, "is ambiguous|is missing"),
        ({"after": "ror64("}, "'ror64\\(' is ambiguous"),
        ({"after": "} while (--nblocks);", "at": "ror64("}, "'ror64\\(' is missing there"),
        ({"put": ROTATE.at}, "changes nothing"),
    ],
)
def test_an_anchor_that_is_not_one_place_is_refused(
    changes: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        core_of(replace(ROTATE, **changes), KNOWN)


def test_after_chooses_the_next_place_behind_it() -> None:
    mutant = replace(ROTATE, after="second", at="x", put="y")
    assert mutated(mutant, "x first x second x x") == "x first x second y x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mutants = 3", "no mutants"),
        ("= 3", "Invalid"),
        ("speed = 1\nmutants = []", "speed"),
        ('mutants = [{ name = "a" }]', "source, at, put is missing"),
        (
            'mutants = [{ name = "a", source = "rolled", at = "x", put = 3 }]',
            "all of them text",
        ),
        ('mutants = [{ name = "a", source = "rolled", at = "x", in = "y" }]', "it takes"),
        ('mutants = [{ name = "A b", source = "rolled", at = "x", put = "y" }]', "name or the"),
        (
            'mutants = [{ name = "a", source = "rollo", at = "x", put = "y" }]',
            "'rollo' is wrong",
        ),
        (
            'mutants = [{ name = "a", source = "rolled", at = "x", put = "y", shows = "z" }]',
            "shows on one of everywhere",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_class("rotation", text)


def test_what_a_file_says_of_all_is_the_default_of_each() -> None:
    text = 'source = "driver"\nshows = "32-bit"\nmutants = [\n'
    text += '{ name = "a", at = "x", put = "" },\n'
    text += '{ name = "b", at = "x", put = "", source = "rolled", shows = "somewhere" },\n]'
    first, second = read_class("width", text)
    assert (first.kind, first.source, first.shows) == ("width", "driver", Shows.BITS_32)
    assert (second.source, second.shows) == ("rolled", Shows.SOMEWHERE)


# --------------------------------------------------------------------------- suites


def test_suites_ask_questions_that_the_oracle_can_answer() -> None:
    found = suites()
    assert list(found) == ["rig", "abc", "rfc", "published", "kunit"]
    oracle, counts = Oracle(), Counter()

    class FakeSubject:
        """Answers rightly; there is no guest in a unit test."""

        def __init__(self) -> None:
            self.oracle = oracle

        def ask(self, cases):
            for case in cases:
                counts[name] += 1
                assert case.question.fill == 0
                yield FakeReply(oracle.answer(case))

    class FakeReply:
        ok = True

        def __init__(self, payload: str) -> None:
            self.payload = payload

    for name in ("abc", "rfc", "published", "kunit"):
        for check in found[name].checks:
            (finding,) = check.run(FakeSubject())  # type: ignore[arg-type]
            assert finding.verdict is Verdict.PASS, finding
    assert (counts["abc"], counts["rfc"], counts["published"]) == (1, 48, 513)
    assert counts["kunit"] > 4097 + 64 * 65


def test_the_kernels_data_rule() -> None:
    """Its generator: 48 bits, byte is what lies above the lowest sixteen."""
    state, wanted = 3, []
    for _ in range(3):
        state = (state * 25214903917 + 11) & ((1 << 48) - 1)
        wanted.append((state // 65536) % 256)
    assert list(kunit_data(3)) == wanted
    assert len(KUNIT_LENGTHS) == 24


# --------------------------------------------------------------------------- telling


def hunted() -> Hunt:
    first, second = default_setups(KNOWN)[:2]
    mutants = [
        ROTATE,
        replace(ROTATE, name="lives", kind="counter", shows=Shows.SOMEWHERE),
        replace(ROTATE, name="late", kind="counter"),
        replace(ROTATE, name="same", kind="counter", equivalent="addition is commutative"),
        replace(ROTATE, name="refused", kind="counter"),
    ]
    kill = Kill(first, "vectors", Verdict.MISMATCH, "hash")
    kills = {
        ("rotate", "rig"): kill,
        ("rotate", "abc"): kill,
        ("late", "rig"): replace(
            kill, setup=second, check="guards", verdict=Verdict.GUEST_CRASH
        ),
    }
    every = suites()
    return Hunt(
        mutants, [every["rig"], every["abc"]], [first, second], kills, {"refused": "no such"}
    )


def test_survivors_are_faults_that_were_judged_and_never_killed() -> None:
    hunt = hunted()
    assert [mutant.name for mutant in hunt.survivors("rig")] == ["lives"]
    assert [mutant.name for mutant in hunt.survivors("abc")] == ["lives", "late"]
    assert hunt.wrongly_equivalent() == []
    hunt.kills["same", "abc"] = hunt.kills["rotate", "abc"]
    assert [mutant.name for mutant in hunt.wrongly_equivalent()] == ["same"]


def test_each_suite_is_asked_until_it_kills_and_only_where_that_tells_something() -> None:
    hunt = hunted()
    rotate, lives, late, same, refused = hunt.mutants
    first, second = hunt.setups
    due = [
        [[suite.name for suite in hunt.due(mutant, setup)] for setup in (first, second)]
        for mutant in (rotate, lives, late, same, refused)
    ]
    assert due == [
        [[], []],
        [["rig", "abc"], ["rig", "abc"]],
        [["abc"], []],
        [["rig"], ["rig"]],
        [[], []],
    ]


def test_a_fault_that_cannot_show_here_is_no_survivor() -> None:
    hunt = hunted()
    hunt.mutants = [
        replace(ROTATE, name="wide", shows=Shows.BITS_32),
        replace(ROTATE, name="swapped", shows=Shows.BIG_ENDIAN),
    ]
    assert [mutant.name for mutant in hunt.survivors("rig")] == ["wide"]
    hunt.setups = hunt.setups[:1]
    assert hunt.survivors("rig") == []
    assert len(hunt.unkilled("rig")) == 2
    text = told(hunt, "rig")
    assert "2 more show on 32-bit or big-endian targets alone" in text
    assert "survived:" not in text


def test_what_became_of_them_is_told() -> None:
    text = told(hunted(), "rig")
    assert all(len(line) <= WIDTH and line.isascii() for line in text.splitlines())
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["rotation"] == ["1", "0", "0"]
    assert rows["counter"] == ["1", "1", "1"]
    assert rows["all"] == ["2", "1", "1"]
    assert "    killed first by: vectors 1, guards 1\n" in text
    assert f"    killed first on: {TARGETS[0]} 1, {TARGETS[1]} 1\n" in text
    assert "lives (rolled, on somewhere): ror64(d ^ a, 32) -> ror64(d ^" in text
    assert "        refused: no such\n" in text


def test_suites_are_compared_by_kills_here_and_everywhere() -> None:
    lines = compared(hunted()).splitlines()
    assert lines[0].strip() == "killed, of 4 faults:"
    assert lines[-2].split()[-2:] == ["1", "1"]
    assert lines[-1].split()[-2:] == ["1", "2"]
    assert lines[-1].strip().startswith("rig check")


def test_all_are_listed_with_their_edits() -> None:
    text = listed(MUTANTS)
    assert all(f"{mutant.name} (" in text for mutant in MUTANTS)
    done = CliRunner().invoke(app, ["mutants", "--list", "--class", "rotation"])
    assert done.exit_code == 0
    assert done.output == listed([m for m in MUTANTS if m.kind == "rotation"])


@pytest.mark.parametrize(
    "words", [["--class", "rotatoin"], ["--against", "kunti", "--class", "rotation"]]
)
def test_a_wrong_name_is_a_usage_error(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIG_CACHE", str(tmp_path))
    done = CliRunner().invoke(app, ["mutants", *words])
    assert done.exit_code == 2
