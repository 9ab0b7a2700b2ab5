"""Every kind of field is a flag, in a contract that the command line has never seen."""

import base64
from pathlib import Path
from typing import Any

import click
import pytest

from postroom.cli.rpc import Methods

from .conftest import Try
from .scripted import Scripted


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--flag"], {"flag": True}),
        (["--no-flag"], {"flag": False}),
        (["--small", "-2147483648"], {"small": -(2**31)}),
        (["--natural", "4294967295"], {"natural": 2**32 - 1}),
        (["--large", "9223372036854775807"], {"large": "9223372036854775807"}),
        (["--real", "0.5"], {"real": 0.5}),
        (["--real", "-inf"], {"real": "-Infinity"}),
        (["--real", "nan"], {"real": "NaN"}),
        (["--raw", "aGk="], {"raw": "aGk="}),
        (["--color", "dark-red"], {"color": "HTTP_COLOR_DARK_RED"}),
        (["--color", "Blue"], {"color": "HTTP_COLOR_BLUE"}),
        (["--color", "HTTP_COLOR_UNSPECIFIED"], {"color": "HTTP_COLOR_UNSPECIFIED"}),
        (
            ["--colors", "blue", "--colors", "dark-red"],
            {"colors": ["HTTP_COLOR_BLUE", "HTTP_COLOR_DARK_RED"]},
        ),
        (["--due", "2026-12-01T00:00:00Z"], {"due": "2026-12-01T00:00:00Z"}),
        (["--inner.depth", "3"], {"inner": {"depth": 3}}),
        (["--inner.again", '{"depth": 2}'], {"inner": {"again": {"depth": 2}}}),
        (["--inners", '{"depth": 1}', "--inners", "{}"], {"inners": [{"depth": 1}, {}]}),
        (["--names", "a", "--names", "", "--names", "@@b"], {"names": ["a", "", "@b"]}),
        (["--labels", '{"any name": "x"}'], {"labels": {"any name": "x"}}),
        (["--mood", "calm"], {"mood": "calm"}),
        (["--request.output", "x", "--output", "json"], {"output": "x"}),
        ([], {}),
    ],
)
def test_flag_becomes_json(try_kinds: Try, flags: list[str], wanted: Any) -> None:
    assert try_kinds(*flags) == wanted


def test_raw_bytes_come_from_a_file_as_they_are(try_kinds: Try, tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\xff\x00@")
    sent = try_kinds("--raw", f"@{tmp_path / 'raw'}")
    assert base64.b64decode(sent["raw"]) == b"\xff\x00@"


@pytest.mark.parametrize(
    "flags",
    [
        ["--small", "2147483648"],
        ["--small", "many"],
        ["--natural", "-1"],
        ["--large", "9223372036854775808"],
        ["--real", "half"],
        ["--color", "green"],
        ["--mood", "happy"],
        ["--mood", "Calm"],
        ["--flag", "stray"],
        ["--inners", '{"deep": 1}'],
        ["--inner.again", '{"again": {"deep": 1}}'],
        ["--inners", "{"],
        ["--absent", "x"],
        ["--timeout", "0"],
        ["--timeout", "nan"],
        ["--timeout", "soon"],
        ["--output", "yaml"],
    ],
)
def test_what_a_flag_cannot_hold_is_a_usage_error(
    try_kinds: Try, server: Scripted, flags: list[str]
) -> None:
    with pytest.raises(click.UsageError):
        try_kinds(*flags)
    assert not server.asked


def test_a_streaming_method_is_no_command(methods: Methods) -> None:
    assert methods.list_commands(click.Context(methods)) == ["try-kinds"]


def test_short_enum_names_complete(methods: Methods) -> None:
    context = click.Context(methods)
    command = methods.get_command(context, "try-kinds")
    assert command
    color = next(p for p in command.params if "--color" in p.opts)
    assert [item.value for item in color.shell_complete(context, "b")] == ["blue"]
    mood = next(p for p in command.params if "--mood" in p.opts)
    assert [item.value for item in mood.shell_complete(context, "c")] == ["calm", "cross"]
