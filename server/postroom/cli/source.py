"""Text that a flag gives: itself, @FILE for a file's content, - for standard input."""

import base64
import sys
from pathlib import Path

import click

_LONGEST = 64 * 1024 * 1024
_HINT = "write @@ for a text that begins with @"


class Source:
    """Reads what flags name. Standard input can be read once in a command."""

    def __init__(self) -> None:
        self._is_spent = False

    def text(self, given: str) -> str:
        """Return the text exactly as it stands, line ends included."""
        content = self._content(given)
        if content is None:
            text = given[1:] if given.startswith("@@") else given
            return _encodable(text)
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            told = f"{_name(given)} is not UTF-8 text (byte {error.start})"
            raise click.UsageError(told) from error

    def base64(self, given: str) -> str:
        """Return bytes in JSON's form: a file's or standard input's, or base64 as given."""
        content = self._content(given)
        return given if content is None else base64.b64encode(content).decode()

    def file(self, path: Path) -> str:
        """Return a file's bytes in JSON's form."""
        return base64.b64encode(_file(str(path))).decode()

    def _content(self, given: str) -> bytes | None:
        if given == "-":
            return self._standard_input()
        if given.startswith("@") and not given.startswith("@@"):
            return _named(given[1:])
        return None

    def _standard_input(self) -> bytes:
        if self._is_spent:
            raise click.UsageError("only one flag can read standard input")
        self._is_spent = True
        if sys.stdin is None:
            raise click.UsageError("standard input is closed")
        return _bounded(sys.stdin.buffer.read(_LONGEST + 1), "-")


def _named(name: str) -> bytes:
    if not name:
        raise click.UsageError(f"@ must be followed by a file's name; {_HINT}")
    return _file(name, f"; {_HINT}")


def _file(name: str, hint: str = "") -> bytes:
    try:
        with Path(name).open("rb") as file:
            return _bounded(file.read(_LONGEST + 1), f"@{name}")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.UsageError(f"cannot read the file {name}: {reason}{hint}") from error


def _bounded(content: bytes, given: str) -> bytes:
    if len(content) > _LONGEST:
        raise click.UsageError(f"{_name(given)} is larger than {_LONGEST >> 20} MiB")
    return content


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise click.UsageError("an argument is not UTF-8 text") from error
    return text


def _name(given: str) -> str:
    return "standard input" if given == "-" else f"the file {given[1:]}"
