"""What every engine promises, as tests: subclassed for each engine."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest

from rig.engines import Channel, Engine, box
from rig.engines.box import Workshop
from rig.errors import EngineFault, UsageError
from rig.model import Files, Job, Limits, Ready

LIMITS = Limits(memory=64 << 20, disk=16 << 20)
PATIENCE = 30.0
NO_FILES: Files = MappingProxyType({})


def read_all(channel: Channel) -> bytes:
    """All output up to the end of file."""
    out = b""
    while piece := channel.read(64 << 10, PATIENCE):
        out += piece
    return out


class EngineContract:
    """Fixtures ``engine`` and ``ready`` come from the subclass's module.

    end_box: shell commands by which a job ends the box that it runs in.
    """

    end_box: str

    def start(
        self, engine: Engine, ready: Ready, script: str, *words: str, files: Files = NO_FILES
    ):
        return engine.open(ready, ["sh", "-c", script, "sh", *words], files, LIMITS)

    def test_a_conversation_ends_at_the_end_of_input(self, engine, ready):
        channel = engine.open(ready, ["cat"], {}, LIMITS)
        assert channel.write(b"one\n", PATIENCE) == 4
        assert channel.read(100, PATIENCE) == b"one\n"
        with pytest.raises(TimeoutError):
            channel.read(100, 0)
        channel.end_input()
        assert channel.read(100, PATIENCE) == b""
        ended = channel.close(grace=PATIENCE)
        assert (ended.code, ended.signal, ended.killed, ended.lost) == (0, None, False, "")
        assert channel.close() == ended

    def test_files_arrive_executable_whatever_their_names(self, engine, ready):
        files = {"a b/ü 'x'": b"#!/bin/sh\necho ran $1\n", "empty": b"", "n" * 150: b"long"}
        channel = self.start(
            engine, ready, '"./$1" it; cat "$2"; ls', "a b/ü 'x'", "n" * 150, files=files
        )
        out = read_all(channel)
        channel.close()
        assert out.startswith(b"ran it\nlong")
        assert b"empty" in out

    def test_input_beyond_the_files_belongs_to_the_program(self, engine, ready):
        data = bytes(range(256)) * 4096
        channel = self.start(engine, ready, "wc -c", files={"f": b"x" * 100_001})
        assert channel.write(data, PATIENCE) == len(data)
        channel.end_input()
        assert int(read_all(channel)) == len(data)
        channel.close()

    def test_both_ways_at_once_does_not_block(self, engine, ready):
        data = b"x" * (2 << 20)
        channel = engine.open(ready, ["cat"], {}, LIMITS)
        sent, back = 0, 0
        while back < len(data):
            sent += channel.write(data[sent:], 0.2) if sent < len(data) else 0
            back += len(channel.read(64 << 10, PATIENCE))
        channel.close()
        assert back == len(data)

    def test_a_full_pipe_makes_write_return_short(self, engine, ready):
        channel = self.start(engine, ready, "sleep 100")
        data = b"x" * (32 << 20)
        assert 0 < channel.write(data, 1.0) < len(data)
        assert channel.close().killed

    @pytest.mark.parametrize("name", ["SEGV", "ABRT", "ILL", "KILL"])
    def test_a_fatal_signal_is_told(self, engine, ready, name):
        channel = self.start(engine, ready, f"kill -{name} $$")
        assert read_all(channel) == b""
        ended = channel.close(grace=PATIENCE)
        assert (ended.code, ended.signal) == (None, getattr(signal, f"SIG{name}"))
        assert not ended.killed

    def test_an_exit_status_is_told(self, engine, ready):
        channel = self.start(engine, ready, "exit 7")
        assert channel.close(grace=PATIENCE).code == 7

    def test_a_program_that_is_not_there_exits_127(self, engine, ready):
        channel = engine.open(ready, ["./absent"], {}, LIMITS)
        assert read_all(channel) == b""
        assert channel.close(grace=PATIENCE).code == 127
        assert b"absent" in channel.stderr()

    def test_a_hang_is_killed(self, engine, ready):
        channel = self.start(engine, ready, "while :; do :; done")
        with pytest.raises(TimeoutError):
            channel.read(1, 0.2)
        ended = channel.close()
        assert (ended.signal, ended.killed) == (signal.SIGKILL, True)

    def test_a_flood_of_errors_keeps_its_tail_only(self, engine, ready):
        channel = self.start(
            engine, ready, "head -c 25000000 /dev/zero | tr '\\0' x >&2; echo end >&2; echo ok"
        )
        assert read_all(channel) == b"ok\n"
        channel.close(grace=PATIENCE)
        assert len(channel.stderr()) == 64 << 10
        assert channel.stderr().endswith(b"xend\n")

    def test_a_flood_of_output_passes_through(self, engine, ready):
        channel = self.start(engine, ready, "head -c 25000000 /dev/zero")
        total = 0
        while piece := channel.read(64 << 10, PATIENCE):
            total += len(piece)
        channel.close()
        assert total == 25_000_000

    def test_no_core_file_and_the_c_locale(self, engine, ready):
        channel = self.start(engine, ready, 'ulimit -c; echo "$LC_ALL"')
        assert read_all(channel) == b"0\nC\n"
        channel.close()

    def test_closing_the_engine_ends_what_is_open(self, engine, ready):
        channel = self.start(engine, ready, "sleep 100")
        engine.close()
        assert channel.close().killed

    @pytest.mark.parametrize("act", ["read", "write"])
    def test_closing_wakes_another_thread_that_waits(self, engine, ready, act):
        channel = engine.open(ready, ["sleep", "1000"], {}, LIMITS)

        def wait() -> object:
            if act == "read":
                return channel.read(1, PATIENCE * 10)
            return channel.write(b"x" * (16 << 20), PATIENCE * 10)

        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(wait)
            with pytest.raises(TimeoutError):
                waiting.result(0.3)
            channel.close()
            if act == "read":
                assert waiting.result(PATIENCE) == b""
            else:
                assert isinstance(waiting.exception(PATIENCE), BrokenPipeError)

    def test_paths_that_lead_out_are_refused(self, engine, ready):
        with pytest.raises(UsageError, match=r"\.\./x"):
            engine.open(ready, ["true"], {"../x": b""}, LIMITS)

    # ------------------------------------------------------------ many jobs in one box

    def run(self, engine: Engine, ready: Ready, *stages: list[Job], limits: Limits = LIMITS):
        done = box.run(engine, ready, stages, {"sub/shared": b"shared"}, limits, 2)
        return {one.name: one for one in done}

    def test_jobs_run_stage_after_stage_and_bring_files_back(self, engine, ready):
        name = "first 'é\" $x"
        script = "tr a b <in >out; cat ../../shared/sub/shared; echo e >&2"
        first = Job(name, ("sh", "-c", script), {"in": b"aXa"}, outputs=("out", "absent"))
        second = Job("second", ("cat", f"../{name}/out"))
        done = self.run(engine, ready, [first], [second])
        assert done[name].outputs == {"out": b"bXb"}
        assert (done[name].stdout, done[name].stderr) == (b"shared", b"e\n")
        assert done["second"].stdout == b"bXb"

    def test_arguments_are_passed_as_they_are(self, engine, ready):
        words = ("", " a  b ", "$HOME", "`id`", "ü'\"\\", "-n", "x\ny", "*")
        done = self.run(engine, ready, [Job("j", ("printf", "<%s>", *words))])
        assert done["j"].stdout.decode() == "".join(f"<{word}>" for word in words)

    def test_a_failing_job_stops_no_other(self, engine, ready):
        jobs = [Job(f"j{n}", ("sh", "-c", f"echo {n}; exit {n % 3}")) for n in range(9)]
        done = self.run(engine, ready, jobs)
        assert {name: one.code for name, one in done.items()} == {
            f"j{n}": n % 3 for n in range(9)
        }

    def test_a_job_past_its_deadline_ends(self, engine, ready):
        slow = Job("slow", ("sleep", "100"), seconds=0.3)
        done = self.run(engine, ready, [slow, Job("quick", ("true",))])
        assert (done["slow"].code, done["quick"].code) == (124, 0)

    def test_what_a_job_prints_is_no_report(self, engine, ready):
        done = self.run(engine, ready, [Job("j", ("printf", "job 0 0\\n3\\nend\\n"))])
        assert done["j"].stdout == b"job 0 0\n3\nend\n"

    def test_links_are_no_outputs(self, engine, ready):
        job = Job("j", ("ln", "-s", "/etc/passwd", "out"), outputs=("out",))
        assert self.run(engine, ready, [job])["j"].outputs == {}

    def test_long_output_is_cut_to_its_end(self, engine, ready):
        job = Job("j", ("sh", "-c", "head -c 1000000 /dev/zero; echo; echo last"))
        assert self.run(engine, ready, [job])["j"].stdout[-6:] == b"\nlast\n"
        assert len(self.run(engine, ready, [job])["j"].stdout) == 256 << 10

    def test_a_box_that_dies_midway_says_what_is_missing(self, engine, ready):
        stages = [[Job("good", ("true",))], [Job("bad", ("sh", "-c", self.end_box))]]
        results = box.run(engine, ready, stages, {}, LIMITS, 1)
        assert next(results).name == "good"
        with pytest.raises(EngineFault, match="box of jobs failed: killed by signal 9"):
            list(results)

    def test_a_workshop_runs_plans_in_one_box_until_a_job_fails(self, engine, ready):
        def said(command: str) -> str:
            jobs = [[Job("j", ("sh", "-c", command))]]
            [done] = shop.run(ready, jobs, {"one": b"1"}, 2)
            return done.stdout.decode()

        with Workshop(engine, LIMITS) as shop:
            assert said("echo a >../../mark; cat ../../shared/one") == "1"
            assert said("cat ../../mark; ls") == "a\n"
            assert said("exit 3") == ""
            assert said("ls ../.. | tr '\\n' ' '") == "jobs plan shared "

    def test_names_that_cannot_be_sent_are_refused(self, engine, ready):
        for jobs in ([Job("../j", ("true",))], [Job("j", ())], [Job("j", ("true",))] * 2):
            with pytest.raises(UsageError):
                self.run(engine, ready, jobs)

    def test_giving_up_a_run_midway_leaves_nothing(self, engine, ready):
        results = box.run(
            engine, ready, [[Job("a", ("true",)), Job("b", ("sleep", "100"))]], {}, LIMITS, 1
        )
        assert next(results).name == "a"
        began = time.monotonic()
        results.close()
        assert time.monotonic() - began < PATIENCE
