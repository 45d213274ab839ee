"""Makers of cases: made once, and known by the same key in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rig import makers
from rig.cases import Case, hash_case
from rig.checks import guards, lengths, mixed
from rig.makers import joined, made_once
from rig.streams import stream

calls: list[object] = []


@made_once
def some(count: int, *, words: frozenset[str] = frozenset()) -> Iterator[Case]:
    calls.append((count, words))
    for length in range(count):
        yield hash_case(stream("lcg", 1, length))


def test_threads_that_ask_at_once_have_it_made_once():
    calls.clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list(some(300)), range(8)))
    assert found == [found[0]] * 8
    assert calls == [(300, frozenset())]


def test_each_set_of_arguments_has_cases_of_its_own():
    different = [some(1), some(2), some(2, words=frozenset("ab")), joined(guards.raw)]
    assert len({cases.key for cases in different}) == len(different)
    assert [len(cases) for cases in different[:3]] == [1, 2, 2]
    assert some(2) is some(2)


def test_cases_that_are_taken_are_not_made():
    calls.clear()
    cases = some(7)
    cases.take(["hash", "hash n=20"])
    assert [case.line for case in cases] == ["hash", "hash n=20"]
    assert (cases[1].question.n, len(cases[:1]), calls) == (20, 1, [])
    cases.take(["hash n=1"])  # too late
    assert len(cases) == 2


def keys() -> list[str]:
    features = frozenset({"compress", "counter", "guard"})
    made = (lengths.cases(False), mixed.cases(1, features), joined(guards.hashes, guards.raw))
    return [cases.key for cases in made]


@pytest.mark.parametrize("seed", ["0", "1"])
def test_another_process_knows_them_by_the_same_keys(seed):
    script = "import test_makers; print(*test_makers.keys())"
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == keys()


def test_another_package_makes_other_cases(tmp_path, monkeypatch):
    before = lengths.cases(False).key
    monkeypatch.setattr(makers, "_package", lambda _folder: "changed")
    assert lengths.cases(False).key != before


def test_a_function_within_another_is_no_maker():
    bound = 3

    @made_once
    def hidden() -> Iterator[Case]:
        for length in range(bound):
            yield hash_case(stream("lcg", 1, length))

    with pytest.raises(TypeError, match="hidden is no function of a module"):
        hidden()
