"""Writes what a command found, for a program or for a person."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor

from postroom.cli import escape
from postroom.cli.layout import render
from postroom.cli.shape import shape
from postroom.cli.terminal import columns, output, put


def write(form: str | None, document: str, value: Mapping[str, Any], message: Descriptor) -> None:
    """Write a response: as the server sent it, or laid out for reading."""
    stream = output()
    if (form or ("table" if stream.isatty() else "json")) == "json":
        whole = document.strip()
        put(stream, escape.json(whole) if stream.isatty() else whole)
    else:
        put(stream, render(shape(message, value), columns(stream)))
