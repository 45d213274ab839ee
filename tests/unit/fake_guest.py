"""A guest in Python that answers by hashlib, and misbehaves where its arguments say.

Real guests cannot be made to fail at one chosen case in all of these ways. Each argument is
``<fault>@<seed>``: the fault happens at the case whose message has that seed, in any session,
or ``<fault>?@<seed>``: only where another case came before it in this session.
Faults at the start are ``hello:<fault>``.
"""

import hashlib
import os
import signal
import sys
import time
import zlib

HELLO = (
    "rig=1 target=i386 bits=32 order=little char=signed core=rolled adapter=compress "
    "build=0123456789abcdef cc=none-0 page=4096 features=compress,counter"
)
SHORT = 8  # bytes of a partial reply


def frame(seq, text):
    body = f"#{seq} {text}".encode()
    return b"%s *%08x\n" % (body, zlib.crc32(body))


def write(data):
    while data:
        data = data[os.write(1, data) :]


def lcg(seed, length):
    out = bytearray()
    for _ in range(length):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(seed >> 56)
    return bytes(out)


def digest(arguments):
    kind, seed, length = arguments["in"].split(":")
    assert kind == "lcg"
    size = int(arguments.get("n", 64))
    return hashlib.blake2b(lcg(int(seed), int(length)), digest_size=size).hexdigest()


def misbehave(fault, seq, reply):
    """What goes out instead of ``reply``, or no return at all."""
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "hang":
        time.sleep(3600)
    elif fault == "exit":
        os._exit(0)
    elif fault == "exit3":
        os.write(2, b"giving up\x1b[31m\0")
        os._exit(3)
    elif fault == "partial":
        write(reply[:SHORT])
        os._exit(1)
    elif fault == "partial-hang":
        write(reply[:SHORT])
        time.sleep(3600)
    elif fault == "close":
        os.close(1)
        os.close(0)
        time.sleep(3600)
    elif fault == "flood":
        for _ in range(25):
            write(b"x" * (1 << 20))
    elif fault == "flood-lines":
        for _ in range(25):
            write(b"no answer at all\n" * 61681)
    elif fault == "crc":
        return reply[:-3] + (b"0" if reply[-3:-2] != b"0" else b"1") + reply[-2:]
    elif fault == "stray":
        return b"hello from printf " + reply
    elif fault == "stray-line":
        return b"hello from printf\n" + reply
    elif fault == "control":
        return b"\0\x1b[2J\xff" + reply
    elif fault == "missing":
        return b""
    elif fault == "other":
        return frame(seq + 1000, "ok 00")
    elif fault == "frame":
        return frame(0, "err frame crc")
    elif fault == "two":
        write(reply[:SHORT])
        time.sleep(0.05)
        return reply[SHORT:]
    return reply


def start(faults):
    if "crash" in faults:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "exit" in faults:
        os.write(2, b"cannot open shared object\n")
        os._exit(127)
    if "hang" in faults:
        time.sleep(3600)
    if "stray" in faults:
        write(b"warning: something\n")
    if "once" in faults:
        path = faults["once"]
        if not os.path.exists(path):
            open(path, "w").close()
            os._exit(1)
    version = "rig=2" if "version" in faults else "rig=1"
    write(frame(0, "ok " + HELLO.replace("rig=1", version)))


def main():
    faults, once, hello = {}, {}, {}
    for argument in sys.argv[1:]:
        if argument.startswith("hello:"):
            name, _, value = argument[6:].partition("=")
            hello[name] = value
        else:
            name, seed = argument.split("@")
            (once if name.endswith("?") else faults)[seed] = name.rstrip("?")
    start(hello)
    asked = 0
    for line in sys.stdin.buffer:
        body, _, _ = line.rstrip(b"\n").rpartition(b" *")
        head, command, *rest = body.decode().split(" ")
        seq = int(head[1:])
        if command == "hash":
            arguments = dict(item.split("=", 1) for item in rest)
            seed = arguments["in"].split(":")[1]
            reply = frame(seq, "ok " + digest(arguments))
            fault = faults.get(seed, once.get(seed, "") if asked else "")
            reply = misbehave(fault, seq, reply)
            asked += 1
        elif command == "sync":
            fault = faults.get("sync", "")
            reply = misbehave(fault, seq, frame(seq, "ok"))
        else:
            reply = frame(seq, "err usage")
        write(reply)


main()
