"""What a terminal gets: a real one, on the other end of a pty."""

import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator

import pytest

from postroom.cli import escape
from postroom.rpc.contract import Contract

from .conftest import unary
from .scripted import Scripted, sample

OnTerminal = Callable[..., str]
ACTIVE = [
    *map(chr, [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    *map(chr, [*range(0x200B, 0x2010), 0x2028, 0x2029, 0x2060, 0xFEFF, 0xAD, 0xD800]),
    *map(chr, range(0xE0000, 0xE0080)),
]


@pytest.fixture
def on_terminal() -> Iterator[OnTerminal]:
    """Runs the command with a terminal of 60 columns as its output; returns what arrived."""
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST  # line ends arrive as they were written
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    termios.tcsetwinsize(theirs, (24, 60))

    def call(*arguments: str) -> str:
        command = [sys.executable, "-m", "postroom", *arguments]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs) as process:
            os.close(theirs)
            seen = b"".join(iter(lambda: _read(ours), b""))
            assert process.wait(30) == 0
        return seen.decode()

    yield call
    os.close(ours)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.fixture
def hostile(contract: Contract, server: Scripted) -> list[str]:
    """The words of a call whose answer lists a row with every active character in its texts."""
    spec, rows, kind = next(
        (spec, field, field.message_type)
        for spec in unary(contract)
        for field in spec.output.fields
        if field.is_repeated and field.message_type
    )
    text = "".join(ACTIVE)
    row = {k: text if v == "text" else v for k, v in sample(kind).items()}
    server.answer(sample(spec.output) | {rows.json_name: [row]})
    return ["rpc", spec.kebab_name]


def active_in(seen: str) -> set[str]:
    return set(seen).intersection(ACTIVE) - {"\n"}


def test_a_table_is_inert(on_terminal: OnTerminal, hostile: list[str]) -> None:
    seen = on_terminal(*hostile)
    assert "\\x1b" in seen
    assert not active_in(seen)
    assert max(len(line) for line in seen.splitlines()) <= 60


def test_json_on_a_terminal_is_inert_and_the_same(
    on_terminal: OnTerminal, hostile: list[str], server: Scripted
) -> None:
    seen = on_terminal(*hostile, "--output", "json")
    assert not active_in(seen)
    assert json.loads(seen) == json.loads(server.body)


def test_every_active_character_is_escaped() -> None:
    for character in ACTIVE:
        shown = escape.block(character)
        assert shown.isascii()
        assert shown.isprintable() or character == "\n"
    assert escape.line("a\nb") == "a\\nb"


def test_ordinary_text_is_left_alone() -> None:
    text = "Grüße, 你好, مرحبا, שלום, नमस्ते 👍🏽 naïve \\n"
    assert escape.block(text) == text
