"""Smaller variants of a failing case: the way from a long input to the least that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rig.cases import BLOCK, Case, Compress, Hash, Question, case_of
from rig.streams import EMPTY, stream

_EDGES = (0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 191, 192, 255, 256, 257, 384, 385)


def smaller(case: Case) -> list[Case]:
    """At most about sixty variants, each with something left out or made shorter."""
    question = case.question
    variants = _hash(question) if isinstance(question, Hash) else _compress(question)
    return sorted({case_of(variant) for variant in variants}, key=lambda case: case.rank)


def _hash(question: Hash) -> Iterator[Question]:
    for length in _lengths(question.data.length):
        shorter = replace(question, data=question.data.cut_to(length))
        yield replace(shorter, cut=_fitting(question.cut, length))
        if question.cut:
            yield replace(shorter, cut=())
    yield from _plain_places(question)
    yield replace(question, n=64)
    yield replace(question, out=0)
    for ctr in (None, question.ctr and (question.ctr[0], 0)):
        yield replace(question, ctr=ctr)
    for length in (0, 1, 32):
        if length < question.key.length:
            yield replace(question, key=question.key.cut_to(length) if length else EMPTY)
    for place in range(min(len(question.cut), 12)):
        yield replace(question, cut=question.cut[:place] + question.cut[place + 1 :])


def _compress(question: Compress) -> Iterator[Question]:
    for blocks in range(1, question.blocks):
        yield replace(question, data=question.data.cut_to(blocks * BLOCK))
    yield from _plain_places(question)
    yield replace(question, inc=BLOCK)
    yield replace(question, h=stream("lcg", 1, 64))
    yield replace(question, data=stream("lcg", 1, question.data.length))
    for t in ((0, 0), (question.t[0], 0)):
        yield replace(question, t=t)
    for f in ((0, 0), (question.f[0], 0), (0, question.f[1])):
        yield replace(question, f=f)


def _plain_places(question: Question) -> Iterator[Question]:
    yield replace(question, at=0)
    yield replace(question, guard="-")
    yield replace(question, fill=0xA5)
    yield replace(question, stack=None)
    yield replace(question, at=0, guard="-", fill=0xA5, stack=None)


def _lengths(length: int) -> set[int]:
    """Edges of blocks and words, halves, and the next ones below."""
    near = {length // 2, length * 3 // 4, length - length % BLOCK, length - 1, length - BLOCK}
    near |= {length // BLOCK * BLOCK - 1, length // BLOCK * BLOCK + 1, length // 4}
    return {edge for edge in (*_EDGES, *near) if 0 <= edge < length}


def _fitting(cut: tuple[int, ...], length: int) -> tuple[int, ...]:
    """The pieces that still lie within a shorter message."""
    kept, used = [], 0
    for piece in cut:
        used += piece
        if used > length:
            break
        kept.append(piece)
    return tuple(kept)
