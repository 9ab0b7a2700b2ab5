"""Where the text of a flag comes from: itself, a file, standard input."""

from pathlib import Path

import click
import pytest

from .conftest import Try
from .scripted import Scripted

AWKWARD = "line one\r\n\ttwo 'quoted' \"twice\" $HOME `x` \\n é😀\n\n"


def test_a_file_is_taken_exactly(try_kinds: Try, tmp_path: Path) -> None:
    path = tmp_path / "a file"
    path.write_bytes(AWKWARD.encode())
    assert try_kinds("--text", f"@{path}") == {"text": AWKWARD}


def test_standard_input_is_taken_exactly(try_kinds: Try) -> None:
    assert try_kinds("--text", "-", stdin=AWKWARD.encode()) == {"text": AWKWARD}


@pytest.mark.parametrize(
    ("given", "meant"),
    [("@@bravo", "@bravo"), ("@@@", "@@"), ("a@b", "a@b"), ("--", "--"), ("-5", "-5"), ("", "")],
)
def test_plain_text(try_kinds: Try, given: str, meant: str) -> None:
    assert try_kinds("--text", given) == {"text": meant}


@pytest.mark.parametrize(
    ("flags", "stdin", "told"),
    [
        (["--text", "@/does/not/exist"], b"", "cannot read the file /does/not/exist: No such"),
        (["--text", "@"], b"", "write @@ for a text that begins with @"),
        (["--text", "@/"], b"", "cannot read the file /: Is a directory"),
        (["--text", "-"], b"ok\xff", "standard input is not UTF-8 text (byte 2)"),
        (["--text", "-", "--two-words", "-"], b"x", "only one flag can read standard input"),
        (["--json", "-", "--text", "-"], b"{}", "only one flag can read standard input"),
        (["--text", "\udcff"], b"", "not UTF-8 text"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error(
    try_kinds: Try, server: Scripted, flags: list[str], stdin: bytes, told: str
) -> None:
    with pytest.raises(click.UsageError) as caught:
        try_kinds(*flags, stdin=stdin)
    assert told in caught.value.message
    assert flags[-2] in caught.value.message
    assert not server.asked


def test_endless_input_is_refused(
    try_kinds: Try, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.cli.source._LONGEST", 1 << 20)
    with pytest.raises(click.UsageError, match="the file /dev/zero is larger than 1 MiB"):
        try_kinds("--text", "@/dev/zero")
    assert not server.asked
