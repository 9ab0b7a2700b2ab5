"""Reads a system-call trace: was the log on disk before each acknowledgement went out?"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

COMMAND = (
    "strace", "--daemonize", "--follow-forks", "--decode-fds=path", "--string-limit=4000",
    "--seccomp-bpf", "--quiet=all", "--trace=pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg",
)  # fmt: skip
_BEGUN = re.compile(r"^(?P<thread>\d+) +(?P<call>\w+)\((?P<rest>.*)$")
_RESUMED = re.compile(r"^(?P<thread>\d+) +<\.\.\. (?P<call>\w+) resumed>(?P<rest>.*)$")
_FLUSHES = ("fdatasync", "fsync")
_ANSWERS = ("write", "writev", "sendto", "sendmsg")
_MAIL_ID = re.compile(r"mail_[0-9a-z]{26}")


@dataclass
class Order:
    """What a trace shows. Each mail id counts once, where it first goes out."""

    flushed: list[str] = field(default_factory=list)
    unflushed: list[str] = field(default_factory=list)


@dataclass
class _Event:
    kind: str
    ids: list[str]


def order(lines: Iterable[str]) -> Order:
    """Tell which ids went out after a flush that followed every write to the log."""
    found = Order()
    dirty, fresh = False, False
    seen: set[str] = set()
    for event in _events(lines):
        if event.kind == "logged":
            dirty, fresh = True, False
        elif event.kind == "flushed":
            dirty, fresh = False, True
        for id in event.ids:
            if id not in seen:
                seen.add(id)
                (found.flushed if fresh and not dirty else found.unflushed).append(id)
                fresh = False
    return found


def without_flushes(lines: Iterable[str]) -> Iterator[str]:
    """The trace of a server that flushes nothing."""
    return (line for line in lines if not any(flush in line for flush in _FLUSHES))


def _events(lines: Iterable[str]) -> Iterator[_Event]:
    """A write counts when it begins, a flush only when it has ended."""
    flushing: set[str] = set()
    for line in lines:
        if begun := _BEGUN.match(line):
            thread, call, rest = begun.group("thread", "call", "rest")
            is_log = "-wal>" in rest.partition(",")[0].partition(")")[0]
            if call == "pwrite64" and is_log:
                yield _Event("logged", [])
            elif call in _FLUSHES and is_log:
                if rest.endswith("= 0"):
                    yield _Event("flushed", [])
                else:
                    flushing.add(thread)
            elif call in _ANSWERS and ("<socket:" in rest or "<TCP" in rest):
                yield _Event("answered", _MAIL_ID.findall(rest))
        elif (resumed := _RESUMED.match(line)) and resumed["thread"] in flushing:
            flushing.discard(resumed["thread"])
            yield _Event("flushed", [])
