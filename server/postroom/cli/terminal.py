"""Writes lines to the two outputs, whatever they are connected to."""

import os
import sys
from typing import TextIO

from postroom.cli import escape
from postroom.cli.failure import OTHER, Failure

_UNKNOWN_WIDTH = 80


def output() -> TextIO:
    """Standard output. Raises Failure where it was closed."""
    # Python gives none then, whatever its types say.
    found: TextIO | None = sys.stdout
    if found is None:
        raise Failure("unknown", "cannot write the answer: standard output is closed", OTHER)
    return found


def put(stream: TextIO, text: str) -> None:
    """Write text and a line end; a character that the encoding lacks is shown as an escape."""
    content = f"{text}\n".encode(stream.encoding or "utf-8", "backslashreplace")
    try:
        stream.flush()
        stream.buffer.write(content)
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure("unknown", f"cannot write the answer: {error.strerror}", OTHER) from error


def tell(text: str) -> None:
    """Write one line for the person, beside the output; nobody reads it where that is closed."""
    stream: TextIO | None = sys.stderr
    if stream is not None:
        put(stream, escape.line(text))


def columns(stream: TextIO) -> int | None:
    """How wide the terminal is; None where there is none."""
    try:
        # A terminal that does not know its width says 0.
        return os.get_terminal_size(stream.fileno()).columns or _UNKNOWN_WIDTH
    except (OSError, ValueError):
        return None


def discard_output() -> None:
    """Send what is left nowhere, so that the interpreter does not complain as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fill_closed_files() -> None:
    """Put nothing in the place of closed standard files, before another file takes it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
