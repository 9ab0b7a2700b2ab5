"""The token that proves who is calling. It is never printed and never an argument."""

import os
import stat

from postroom.cli.failure import Failure

_LONGEST = 4096
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def token_in(value: str, file_name: str) -> str:
    """Return the token given as a value, else the one in the file, else ''."""
    if value:
        return _checked(value, "POSTROOM_TOKEN")
    if file_name:
        return _checked(_read(file_name), f"the token file {file_name}")
    return ""


def _checked(text: str, where: str) -> str:
    token = text.strip()
    # A header cannot hold anything else, and http.client would quote it in its error.
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise Failure("unauthenticated", f"{where} holds no token")
    return token


def _read(name: str) -> str:
    try:
        # Not blocking, so that a pipe in the file's place does not hang the call.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            _refuse_shared(os.fstat(descriptor), name)
            return file.read(_LONGEST).decode("ascii", "replace")
    except OSError as error:
        told = f"cannot read the token file {name}: {error.strerror}"
        raise Failure("unauthenticated", told) from error


def _refuse_shared(found: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Failure("unauthenticated", f"the token file {name} is not a plain file")
    # On Windows these bits say nothing about who can read.
    if os.name == "posix" and found.st_mode & _OTHERS:
        told = f"the token file {name} is open to other users; run: chmod 600 {name}"
        raise Failure("unauthenticated", told)
