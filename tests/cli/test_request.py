"""A whole request as JSON: strict names, flags on top."""

from pathlib import Path

import click
import pytest

from .conftest import Postroom, Try
from .scripted import Scripted

REQUEST = '{"small": 1, "two_words": "m", "text": "\u00e9\\ud83d\\ude00"}'
AS_SENT = {"small": 1, "twoWords": "m", "text": "é😀"}


def test_json_as_text(try_kinds: Try) -> None:
    assert try_kinds("--json", REQUEST) == AS_SENT


def test_json_from_a_file(try_kinds: Try, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(REQUEST, encoding="utf-8")
    assert try_kinds("--json", f"@{path}") == AS_SENT


def test_json_from_standard_input(try_kinds: Try) -> None:
    assert try_kinds("--json", "-", stdin=REQUEST.encode()) == AS_SENT


def test_flags_override_fields_wherever_they_stand(try_kinds: Try) -> None:
    assert try_kinds("--small", "2", "--json", REQUEST) == AS_SENT | {"small": 2}


def test_a_nested_flag_keeps_its_neighbours(try_kinds: Try) -> None:
    whole = '{"inner": {"depth": 1, "again": {"depth": 2}}}'
    sent = try_kinds("--json", whole, "--inner.depth", "9")
    assert sent == {"inner": {"depth": 9, "again": {"depth": 2}}}


def test_values_are_left_to_the_server(try_kinds: Try) -> None:
    whole: dict[str, object] = {
        "small": "many",
        "text": None,
        "inner": 3,
        "inners": {},
        "labels": [1],
    }
    assert try_kinds("--json", str(whole).replace("'", '"').replace("None", "null")) == whole


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        ('{"small": 1, "twoWord": "m"}', "there is no field twoWord; did you mean twoWords?"),
        ('{"zzz": 1}', "there is no field zzz; the fields are: flag, small, natural"),
        ('{"inner": {"deep": 1}}', "there is no field inner.deep"),
        ('{"inners": [{}, {"deep": 1}]}', "there is no field inners[1].deep"),
        ('{"twoWords": "a", "two_words": "b"}', "twoWords is given twice"),
        ('{"text": "a", "text": "b"}', "'text' is given twice"),
        ('{"real": NaN}', "NaN is no JSON value"),
        ('["text"]', "a request is a JSON object"),
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_bad_json_is_refused_here(try_kinds: Try, server: Scripted, whole: str, told: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        try_kinds("--json", "-", stdin=whole.encode())
    assert caught.value.message.startswith("'--json': ")
    assert told in caught.value.message
    assert not server.asked


def test_the_refusal_is_a_usage_error(
    words: list[str], server: Scripted, postroom: Postroom
) -> None:
    ended = postroom(*words, "--json", '{"zzz": 1}')
    assert (ended.status, ended.out) == (2, b"")
    assert ended.err.startswith("invalid_argument: '--json': there is no field zzz")
    assert not server.asked
