"""A guest as tests talk to it: ``rig_guest``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rig.cases import Case, Pair64, compress_case, hash_case
from rig.guest import Fault, Guest
from rig.streams import literal


class PublicGuest:
    """A guest for tests: bytes in, bytes out; AssertionError for what is no answer."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def hash(
        self, data: bytes, *, digest_size: int = 64, key: bytes = b"", cut: Sequence[int] = ()
    ) -> bytes:
        """The digest of ``data``; ``cut`` are the lengths of all pieces but the last."""
        case = hash_case(literal(data), n=digest_size, key=literal(key), cut=cut)
        return bytes.fromhex(self._one(case))

    def compress(
        self,
        h: bytes,
        blocks: bytes,
        *,
        t: Pair64 = (0, 0),
        f: Pair64 = (0, 0),
        inc: int = 128,
    ) -> tuple[bytes, bytes, bytes]:
        """Folds blocks into a raw state: (h, t, f) afterwards, little-endian words."""
        case = compress_case(literal(h), literal(blocks), t=t, f=f, inc=inc)
        new_h, new_t, new_f = map(bytes.fromhex, self._one(case).split(","))
        return new_h, new_t, new_f

    def ask(self, lines: Iterable[str]) -> list[str]:
        """Answers to cases as written on the wire (docs/wire.md), many in flight."""
        cases = [Case(line) for line in lines]
        outcomes = self._guest.ask(case.line for case in cases)
        return [self._payload(c, o) for c, o in zip(cases, outcomes, strict=True)]

    def _one(self, case: Case) -> str:
        return self.ask([case.line])[0]

    @staticmethod
    def _payload(case: Case, outcome: object) -> str:
        if isinstance(outcome, Fault):
            raise AssertionError(f"{case.line}: {outcome.verdict}: {outcome.text}")
        assert getattr(outcome, "ok", False), f"{case.line}: err {outcome}"
        return str(getattr(outcome, "payload", ""))
