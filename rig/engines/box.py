"""Many jobs in one box, on top of an engine's ``open`` alone.

A plan of shell scripts and files goes in through the box's standard input, ``xargs -P`` runs
it, stage after stage, and then the next plan, if there is one. Each job reports through the
box's standard output as soon as it is done, under a lock:

    job <number> <exit status>, then for stdout, stderr and each output: + , or - where there
        is no such regular file
    for each +: a line with its size; then the bytes of all of them
    done

The last line of a plan is ``end``. Names never travel back, only numbers: what a job writes
cannot be taken for another's.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Self

from rig.engines import Channel, Engine
from rig.engines.streams import pack, safe_path
from rig.errors import EngineFault, UsageError
from rig.model import Done, Exit, Files, Job, Limits, Ready

STREAM = 256 << 10
"""Bytes that are kept of each of a job's two streams."""

_LINE = 4096  # bytes of a report's longest line: two for each output of a job

_GRACE = 60.0  # s beyond the longest job before a silent box is given up

# Few processes: a compiler often takes less time than what stands around it.
_COMMON = """\
# Job number $1 ended with status $2: takes its turn and reports; the rest are its files.
finish() {
	number=$1 status=$2 marks=
	shift 2
	for file in "$@"; do
		shift
		if [ -f "$file" ] && [ ! -L "$file" ]; then
			marks="$marks +"
			set -- "$@" "$file"
		else
			marks="$marks -"
		fi
	done
	exec 9>plan/lock
	flock 9
	echo "job $number $status$marks"
	[ $# -eq 0 ] || {
		stat -c %s -- "$@"
		cat -- "$@"
	}
	echo done
	: >"plan/$number.out" # room for others
	: >"plan/$number.err"
}
"""

_MAIN = """\
: >plan/lock # now, for a full disk would refuse it later
while read -r size workers lists; do
	head -c "$size" | tar -xpf - || exit
	for list in $lists; do
		xargs -r -n 1 -P "$workers" sh <"$list"
	done
	echo end
done
"""


def run(
    engine: Engine,
    ready: Ready,
    stages: Sequence[Iterable[Job]],
    shared: Files,
    limits: Limits,
    workers: int,
) -> Iterator[Done]:
    """Runs one plan in a box of its own; see :meth:`Workshop.run`."""
    with Workshop(engine, limits) as workshop:
        yield from workshop.run(ready, stages, shared, workers)


class Workshop:
    """One box for several plans, which saves the start of a box for each; a context manager.

    Opened by the first plan, and anew by the next one after a plan in which anything failed.
    """

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.isolated = engine.isolated
        self._engine = engine
        self._limits = limits
        self._reader: _Reader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._close()

    def run(
        self,
        ready: Ready,
        stages: Sequence[Iterable[Job]],
        shared: Files,
        workers: int,
    ) -> Iterator[Done]:
        """Runs all jobs of a stage, then the next stage's; yields each as it is done.

        A job that fails stops no other. Jobs that failed come last, since only the end of the
        box tells whether memory ran out; their stderr then says so. Raises EngineFault when the
        box ends before all jobs have reported, and UsageError for names that cannot be sent.
        """
        plan = [list(stage) for stage in stages]
        jobs = [job for stage in plan for job in stage]
        if not jobs:
            return
        _check(jobs)
        lists = [f"plan/stage{number}" for number in range(len(plan))]
        failed: list[Done] = []
        finished = False
        try:
            reader = self._open(ready)
            reader.patience = max(job.seconds for job in jobs) + _GRACE
            reader.send(max(1, workers), lists, pack(_files(plan, lists, shared)))
            for done in _reports(reader, jobs):
                if done.code == 0:
                    yield done
                else:
                    failed.append(done)
            finished = True
        finally:
            if failed or not finished:
                ended = self._close(_GRACE if finished else 0.0)
        for done in failed:
            yield _with_memory_note(done, self._limits) if ended.oom else done

    def _open(self, ready: Ready) -> _Reader:
        if self._reader is None:
            scripts = {"plan/common.sh": _COMMON.encode(), "plan/main.sh": _MAIN.encode()}
            channel = self._engine.open(ready, ("sh", "plan/main.sh"), scripts, self._limits)
            self._reader = _Reader(channel, self._limits.disk)
        return self._reader

    def _close(self, grace: float = _GRACE) -> Exit:
        reader, self._reader = self._reader, None
        return reader.close(grace) if reader else Exit(0)


def _check(jobs: Sequence[Job]) -> None:
    names = [job.name for job in jobs]
    if len(set(names)) < len(names):
        raise UsageError("two jobs of one box have the same name")
    for job in jobs:
        if "/" in safe_path(job.name):
            raise UsageError(f"the job name {job.name!r} is more than one folder")
        for output in job.outputs:
            safe_path(output)
        if not job.argv or any("\0" in word for word in job.argv):
            raise UsageError(f"the job {job.name!r} has no command that can be run")


def _files(
    plan: Sequence[Sequence[Job]], lists: Sequence[str], shared: Files
) -> dict[str, bytes]:
    files = {f"shared/{path}": data for path, data in shared.items()}
    number = 0
    for name, stage in zip(lists, plan, strict=True):
        scripts = []
        for job in stage:
            scripts.append(f"plan/{number}.sh")
            files[scripts[-1]] = _script(number, job)
            files |= {f"jobs/{job.name}/{path}": data for path, data in job.files.items()}
            number += 1
        files[name] = "".join(f"{script}\n" for script in scripts).encode()
    return files


def _script(number: int, job: Job) -> bytes:
    """The shell script of one job; quoting keeps any name or argument what it is.

    What it says on standard error is held in memory until it ends: that the disk is full could
    not be written to that disk.
    """
    folder = f"jobs/{job.name}"
    command = shlex.join(job.argv)
    streams = f"plan/{number}.out plan/{number}.err"
    outputs = shlex.join(f"{folder}/{output}" for output in job.outputs)
    return (
        f". plan/common.sh\n[ -d {shlex.quote(folder)} ] || mkdir -p {shlex.quote(folder)}\n"
        "status=$({ { (\n"
        f"cd {shlex.quote(folder)} && exec timeout -k 2 {job.seconds:.3f} {command}\n"
        ") 2>&1 >&3 3>&- 4>&-; echo $? >&4; } |"
        f" tail -c {STREAM} 3>&- 4>&- >plan/{number}.err; }}"
        f" 3>plan/{number}.out 4>&1 </dev/null)\n"
        f"finish {number} $status {streams} {outputs}\n"
    ).encode("utf-8", "surrogateescape")


def _reports(reader: _Reader, jobs: Sequence[Job]) -> Iterator[Done]:
    """What comes back, until all jobs have reported."""
    missing = dict(enumerate(jobs))
    while True:
        words = reader.line().split()
        if words == [b"end"]:
            break
        number, code, there = _report(words)
        if number not in missing or len(there) != 2 + len(missing[number].outputs):
            raise reader.fault("it reported out of form")
        job = missing.pop(number)
        sizes = [reader.size() if is_there else None for is_there in there]
        stdout, stderr = (reader.blob(size or 0, STREAM) for size in sizes[:2])
        outputs = {
            output: reader.blob(size)
            for output, size in zip(job.outputs, sizes[2:], strict=True)
            if size is not None
        }
        if reader.line() != b"done":
            raise reader.fault("it reported out of form")
        yield Done(job.name, code, stdout, stderr, outputs)
    if missing:
        names = ", ".join(job.name for job in missing.values())
        raise reader.fault(f"these jobs never reported: {names}")


def _report(words: Sequence[bytes]) -> tuple[int, int, list[bool]]:
    """Job number, exit status, which files there are; (-1, -1, []) for any other line."""
    if len(words) >= 3 and words[0] == b"job" and words[1].isdigit() and words[2].isdigit():
        return int(words[1]), int(words[2]), [mark == b"+" for mark in words[3:]]
    return -1, -1, []


class _Reader:
    """Lines and counted bytes from a channel; the end of either is an EngineFault.

    patience: seconds of silence. most: bytes of one file.
    """

    def __init__(self, channel: Channel, most: int) -> None:
        self.patience = _GRACE
        self._channel = channel
        self._most = most
        self._data = bytearray()

    def send(self, workers: int, lists: Sequence[str], archive: bytes) -> None:
        """Hands a plan over."""
        data = f"{len(archive)} {workers} {' '.join(lists)}\n".encode() + archive
        try:
            sent = self._channel.write(data, _GRACE)
        except BrokenPipeError:
            raise self.fault("it ended before it had its jobs") from None
        if sent < len(data):
            raise self.fault("it did not take its jobs in")

    def close(self, grace: float) -> Exit:
        """Ends the box, which may take so long by itself."""
        self._channel.end_input()
        return self._channel.close(grace)

    def line(self) -> bytes:
        while b"\n" not in self._data:
            if len(self._data) > _LINE:
                raise self.fault("it reported out of form")
            self._more()
        line, _, rest = bytes(self._data).partition(b"\n")
        self._data = bytearray(rest)
        return line

    def size(self) -> int:
        """Of a file that will follow, in bytes."""
        line = self.line()
        if not line.isdigit():
            raise self.fault("it reported out of form")
        size = int(line)
        if size > self._most:
            raise self.fault(f"a file of {size} bytes is more than the box may hold")
        return size

    def blob(self, size: int, kept: int | None = None) -> bytes:
        """The next ``size`` bytes; the last ``kept`` of them, if that is given."""
        useless = 0 if kept is None else max(0, size - kept)
        while useless:
            if not self._data:
                self._more()
            gone = min(useless, len(self._data))
            del self._data[:gone]
            size, useless = size - gone, useless - gone
        while len(self._data) < size:
            self._more()
        blob = bytes(self._data[:size])
        del self._data[:size]
        return blob

    def _more(self) -> None:
        try:
            data = self._channel.read(64 << 10, self.patience)
        except TimeoutError:
            raise self.fault(f"it was silent for {self.patience:g} s") from None
        if not data:
            raise self.fault("it ended before its jobs had reported")
        self._data += data

    def fault(self, seen: str) -> EngineFault:
        """Why a box was of no use: what its end says counts more than what was seen."""
        ended = self._channel.close(grace=1.0)
        said = self._channel.stderr().decode("utf-8", "replace")
        return EngineFault(f"a box of jobs failed: {_why(ended) or seen}", "", said)


def _why(ended: Exit) -> str:
    if ended.lost:
        return ended.lost
    if ended.oom:
        return "out of memory"
    if ended.signal is not None and not ended.killed:
        return f"killed by signal {ended.signal}"
    return ""


def _with_memory_note(done: Done, limits: Limits) -> Done:
    note = f"\nrig: this box ran out of memory (limit {limits.memory >> 20} MiB)\n".encode()
    return replace(done, stderr=(done.stderr + note)[-STREAM:])
