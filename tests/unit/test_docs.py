"""Commands that README and docs show are understood, files that they name are there."""

from __future__ import annotations

import re

import pytest
import typer.main
from documented import DOCUMENTS, ROOT, commands

from rig.cli import app

SHOWN = [(place, words) for document in DOCUMENTS for place, words in commands(document)]


def test_the_documents_show_commands():
    assert len(SHOWN) > 60
    assert {words[0] for _, words in SHOWN} >= {"rig", "make", "pytest"}


@pytest.mark.parametrize(
    ("place", "words"), [pytest.param(*one, id=one[0]) for one in SHOWN if one[1][0] == "rig"]
)
def test_rig_understands_it(place, words):
    verb = typer.main.get_command(app).commands[words[1]]
    verb.make_context(words[1], list(words[2:]))


def test_an_option_that_is_not_there_is_seen():
    with pytest.raises(Exception, match="--no-such"):
        test_rig_understands_it("here", ["rig", "check", "rolled", "--no-such"])


@pytest.mark.parametrize(
    ("place", "words"), [pytest.param(*one, id=one[0]) for one in SHOWN if one[1][0] == "make"]
)
def test_make_has_it(place, words):
    goals = [word for word in words[1:] if "=" not in word]
    makefile = (ROOT / "Makefile").read_text()
    assert goals
    for goal in goals:
        assert re.search(rf"^{goal}:", makefile, re.MULTILINE), f"{place}: make {goal}"


def test_files_that_are_named_are_there():
    """Paths in backquotes that begin with a folder of this tree."""
    folders = "rig|guest|images|tests|docs|benchmarks|\\.github|\\.ci"
    named = re.compile(rf"`((?:{folders})/[\w./-]+)`")
    found = [(doc, path) for doc in DOCUMENTS for path in named.findall(doc.read_text())]
    assert len(found) > 5
    missing = [f"{doc.name}: {path}" for doc, path in found if not (ROOT / path).exists()]
    assert missing == []
