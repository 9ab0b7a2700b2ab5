"""Protobuf JSON, the one JSON form of every surface.

It is the form of Go's protojson as a gateway uses it: unset fields are printed,
names are lowerCamel, and reading drops what is unknown and says what it dropped.
"""

from functools import cache
from typing import Any, TypeVar

from google.protobuf.message import Message

from postroom.rpc.protojson.document import BLANK, TOO_MUCH, has_too_much, parse
from postroom.rpc.protojson.pages import Page, Pages
from postroom.rpc.protojson.printer import Printer
from postroom.rpc.protojson.reader import Reader
from postroom.rpc.protojson.refusal import JsonInvalid, Unprintable

__all__ = [
    "BLANK",
    "TOO_MUCH",
    "JsonInvalid",
    "Page",
    "Pages",
    "Printer",
    "Reader",
    "Unprintable",
    "decode",
    "encode",
    "has_too_much",
    "parse",
    "plain",
    "read",
]

M = TypeVar("M", bound=Message)


def encode(message: Message) -> bytes:
    """Return the message as JSON in UTF-8. Raises Unprintable."""
    return _printer().text(message).encode()


def plain(message: Message) -> Any:
    """Return the message as dicts, lists, strings, numbers, booleans and None."""
    return _printer().plain(message)


def decode(body: bytes, message_class: type[M], *, strict: bool = False) -> tuple[M, list[str]]:
    """Read a message; return it with the paths that were dropped.

    A blank body is the empty message; text after the first value is ignored. Raises
    JsonInvalid; when strict, also for unknown fields and enum names.
    """
    value = parse(body)
    if value is BLANK:
        return message_class(), []
    return read(value, message_class, strict=strict)


def read(value: Any, message_class: type[M], *, strict: bool = False) -> tuple[M, list[str]]:
    """Do the same from a parsed JSON value."""
    message = message_class()
    return message, _reader().read(value, message, strict=strict)


@cache
def _printer() -> Printer:
    return Printer()


@cache
def _reader() -> Reader:
    return Reader()
