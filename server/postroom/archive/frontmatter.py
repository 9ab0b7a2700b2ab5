"""Front matter: a few facts as YAML between two lines of dashes, and then a text.

Only a small part of YAML is written, with every text in double quotes, so that readers of
YAML 1.1 and 1.2 all read the same. Only what was written here is read back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

Scalar = str | int | bool | None
Record = Mapping[str, Scalar]
Value = Scalar | Sequence[str] | Sequence[Record] | Record
Facts = Mapping[str, Value]

_FENCE = "---\n"
# What YAML takes for no printable character or for the end of a line, and what hides text.
_UNSAFE = re.compile(
    '["\\\\\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f'
    "\ud800-\udfff\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNNAMED = {written: text for text, written in _NAMED.items()}
_ESCAPED = r'\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt"\\])'
_ESCAPE = re.compile(_ESCAPED)
_QUOTED = re.compile(rf'"((?:[^"\\\n]|{_ESCAPED})*)"')
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_KEY = re.compile(r'([a-z][a-z0-9_]*|"(?:[^"\\\n]|\\.)*"):(?: (.+))?')
_WORDS: Mapping[str, bool | None] = {"null": None, "true": True, "false": False}
_INDENT = "  "
_ITEM = "- "


class Unreadable(Exception):
    """Not front matter as it is written here; the text says what is wrong."""


def written(facts: Facts, body: str = "") -> bytes:
    """The facts in the order given, and the body byte for byte behind them."""
    lines = "".join(f"{line}\n" for key, value in facts.items() for line in _entry(key, value))
    return f"{_FENCE}{lines}{_FENCE}{body}".encode()


def parted(content: bytes) -> tuple[str, str]:
    """The lines of the facts, and the body. Raises Unreadable."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8") from None
    lines, found, body = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not text.startswith(_FENCE) or not found:
        raise Unreadable("it does not begin with front matter")
    return lines, body


def read(content: bytes) -> tuple[Facts, str]:
    """The facts and the body. Raises Unreadable."""
    lines, body = parted(content)
    facts: dict[str, Value] = {}
    for key, rest, inner in _entries(lines.split("\n")):
        if key in facts:
            raise Unreadable(f"{key!r} stands there twice")
        facts[key] = _scalar(rest) if rest is not None and rest != "[]" else _inner(inner)
    return facts, body


def _entry(key: str, value: Value) -> Iterator[str]:
    if isinstance(value, str | int | None):
        yield f"{key}: {_text(value)}"
    elif not value:
        yield f"{key}: []"
    else:
        yield f"{key}:"
        yield from _inside(value)


def _inside(value: Sequence[str] | Sequence[Record] | Record) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (f"{_INDENT}{_text(key)}: {_text(each)}" for key, each in value.items())
        return
    for item in value:
        if isinstance(item, str):
            yield f"{_INDENT}{_ITEM}{_text(item)}"
        else:
            lines = [f"{key}: {_text(each)}" for key, each in item.items()]
            yield f"{_INDENT}{_ITEM}{lines[0]}"
            yield from (f"{_INDENT * 2}{line}" for line in lines[1:])


def _text(value: Scalar) -> str:
    if isinstance(value, str):
        return f'"{_UNSAFE.sub(_escaped, value)}"'
    if value is None or isinstance(value, bool):
        return next(word for word, meant in _WORDS.items() if meant is value)
    return str(value)


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    widths = ((0xFF, "x", 2), (0xFFFF, "u", 4), (0x10FFFF, "U", 8))
    letter, width = next((letter, width) for most, letter, width in widths if code <= most)
    return _NAMED.get(character, f"\\{letter}{code:0{width}x}")


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str | None, list[str]]]:
    """Each key of the outermost level with what follows it, and the lines inside it."""
    at = 0
    while at < len(lines):
        key, rest = _pair(lines[at])
        end = next(
            (n for n in range(at + 1, len(lines)) if not lines[n].startswith(_INDENT)), len(lines)
        )
        inner = [line.removeprefix(_INDENT) for line in lines[at + 1 : end]]
        if bool(inner) == (rest is not None):
            raise Unreadable(f"{key!r} has no value, or two")
        yield key, rest, inner
        at = end


def _inner(lines: list[str]) -> Sequence[str] | Sequence[Record] | Record:
    if not lines:
        return []
    if not lines[0].startswith(_ITEM):
        return _record(lines)
    starts = [n for n, line in enumerate(lines) if line.startswith(_ITEM)]
    items = [lines[a:b] for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    if lines[0].startswith(f'{_ITEM}"'):
        return [_item(item) for item in items]
    return [_record([line[len(_INDENT) :] for line in item]) for item in items]


def _item(lines: list[str]) -> str:
    value = _scalar(lines[0].removeprefix(_ITEM))
    if len(lines) > 1 or not isinstance(value, str):
        raise Unreadable("a list holds something else than texts")
    return value


def _record(lines: list[str]) -> Record:
    pairs = [_pair(line) for line in lines]
    record = {key: _scalar(rest) for key, rest in pairs if rest is not None}
    if len(record) < len(pairs):
        raise Unreadable("a value is missing, or a name stands there twice")
    return record


def _pair(line: str) -> tuple[str, str | None]:
    found = _KEY.fullmatch(line)
    if not found:
        raise Unreadable("a line is no fact")
    key = _scalar(found[1]) if found[1].startswith('"') else found[1]
    return str(key), found[2]


def _scalar(text: str) -> Scalar:
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return _ESCAPE.sub(_unescaped, quoted[1])
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    raise Unreadable("a value is neither a text, a number nor a word")


def _unescaped(found: re.Match[str]) -> str:
    escape = found[0]
    try:
        return _UNNAMED.get(escape) or chr(int.from_bytes(bytes.fromhex(escape[2:])))
    except (ValueError, OverflowError):
        raise Unreadable("an escape stands for no character") from None
