"""Many jobs in one box, on top of an engine's ``open`` alone.

A plan of shell scripts goes in with the files; ``xargs -P`` runs it, stage after stage, and
each job reports through the box's standard output as soon as it is done, under a lock:

    job <number> <exit status>
    <size>, bytes of stdout;  <size>, bytes of stderr
    for each output: <size>, its bytes; or -1 where there is no such regular file
    done

The last line of all is ``end``. Names never travel back, only numbers: what a job writes
cannot be taken for another's.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rig.engines import Channel, Engine
from rig.engines.streams import safe_path
from rig.errors import EngineFault, UsageError
from rig.model import Done, Exit, Files, Job, Limits, Ready

STREAM = 256 << 10
"""Bytes that are kept of each of a job's two streams."""

_GRACE = 60.0  # s beyond the longest job before a silent box is given up

_COMMON = f"""\
# Writes a file's size and bytes; at most the last $2 bytes.
report() {{
	if [ ! -f "$1" ] || [ -L "$1" ]; then
		echo -1
		return
	fi
	size=$(wc -c <"$1")
	[ "$size" -le "$2" ] || size=$2
	echo "$size"
	tail -c "$size" "$1"
}}
# Job number $1 ended with status $2: takes its turn and reports; the rest are its outputs.
finish() {{
	number=$1 status=$2
	shift 2
	exec 9>plan/lock
	flock 9
	echo "job $number $status"
	report "plan/$number.out" {STREAM}
	report "plan/$number.err" {STREAM}
	for output in "$@"; do
		report "$output" 999999999999
	done
	echo done
	rm -f "plan/$number.out" "plan/$number.err"
}}
"""

_MAIN = """\
: >plan/lock  # now, for a full disk would refuse it later
workers=$1
shift
for list in "$@"; do
	xargs -r -n 1 -P "$workers" sh <"$list"
done
echo end
"""


def run(
    engine: Engine,
    ready: Ready,
    stages: Sequence[Iterable[Job]],
    shared: Files,
    limits: Limits,
    workers: int,
) -> Iterator[Done]:
    """Runs all jobs of a stage, then the next stage's; yields each as it is done.

    A job that fails stops no other. Jobs that failed come last, since only the end of the box
    tells whether memory ran out; their stderr then says so. Raises EngineFault when the box
    ends before all jobs have reported, and UsageError for names that cannot be sent.
    """
    plan = [list(stage) for stage in stages]
    jobs = [job for stage in plan for job in stage]
    if not jobs:
        return
    _check(jobs)
    lists = [f"plan/stage{number}" for number in range(len(plan))]
    argv = ["sh", "plan/main.sh", str(max(1, workers)), *lists]
    channel = engine.open(ready, argv, _files(plan, lists, shared), limits)
    failed: list[Done] = []
    try:
        patience = max(job.seconds for job in jobs) + _GRACE
        for done in _reports(_Reader(channel, patience, limits.disk), jobs):
            if done.code == 0:
                yield done
            else:
                failed.append(done)
        ended = channel.close(grace=_GRACE)
    finally:
        channel.close()
    for done in failed:
        yield _with_memory_note(done, limits) if ended.oom else done


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
    files["plan/common.sh"] = _COMMON.encode()
    files["plan/main.sh"] = _MAIN.encode()
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
    outputs = shlex.join(f"{folder}/{output}" for output in job.outputs)
    return (
        f". plan/common.sh\nmkdir -p {shlex.quote(folder)}\n"
        "status=$({ { (\n"
        f"cd {shlex.quote(folder)} && exec timeout -k 2 {job.seconds:.3f} {command}\n"
        ") 2>&1 >&3 3>&- 4>&-; echo $? >&4; } |"
        f" tail -c {STREAM} 3>&- 4>&- >plan/{number}.err; }}"
        f" 3>plan/{number}.out 4>&1 </dev/null)\n"
        f"finish {number} $status {outputs}\n"
    ).encode("utf-8", "surrogateescape")


def _reports(reader: _Reader, jobs: Sequence[Job]) -> Iterator[Done]:
    """What comes back, until all jobs have reported."""
    missing = dict(enumerate(jobs))
    while True:
        words = reader.line().split()
        if words == [b"end"]:
            break
        number, code = _numbers(words)
        if number not in missing:
            raise reader.fault("it reported out of form")
        job = missing.pop(number)
        stdout = reader.blob() or b""
        stderr = reader.blob() or b""
        found = {output: reader.blob() for output in job.outputs}
        if reader.line() != b"done":
            raise reader.fault("it reported out of form")
        outputs = {output: data for output, data in found.items() if data is not None}
        yield Done(job.name, code, stdout, stderr, outputs)
    if missing:
        names = ", ".join(job.name for job in missing.values())
        raise reader.fault(f"these jobs never reported: {names}")


def _numbers(words: Sequence[bytes]) -> tuple[int, int]:
    """Job number and exit status of a report's first line; (-1, -1) for any other line."""
    if len(words) == 3 and words[0] == b"job" and words[1].isdigit() and words[2].isdigit():
        return int(words[1]), int(words[2])
    return -1, -1


class _Reader:
    """Lines and counted bytes from a channel; the end of either is an EngineFault."""

    def __init__(self, channel: Channel, patience: float, most: int) -> None:
        self._channel = channel
        self._patience = patience
        self._most = most
        self._data = bytearray()

    def line(self) -> bytes:
        while b"\n" not in self._data:
            if len(self._data) > 80:
                raise self.fault("it reported out of form")
            self._more()
        line, _, rest = bytes(self._data).partition(b"\n")
        self._data = bytearray(rest)
        return line

    def blob(self) -> bytes | None:
        """A counted file; None where there was none."""
        try:
            size = int(self.line())
        except ValueError:
            raise self.fault("it reported out of form") from None
        if size < 0:
            return None
        if size > self._most:
            raise self.fault(f"a file of {size} bytes is more than the box may hold")
        while len(self._data) < size:
            self._more()
        blob = bytes(self._data[:size])
        del self._data[:size]
        return blob

    def _more(self) -> None:
        try:
            data = self._channel.read(64 << 10, self._patience)
        except TimeoutError:
            raise self.fault(f"it was silent for {self._patience:g} s") from None
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
