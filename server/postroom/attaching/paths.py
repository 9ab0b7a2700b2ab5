"""Reading an image by its path on the server's machine (security.md, section 6).

The service reads with its own rights on the caller's word. So a path is judged as text
first, then opened step by step below a folder, and what was opened is judged again.
Whatever is wrong, the answer is the same, so that nobody learns what there is.
"""

import fnmatch
import os
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from postroom.attaching import beneath
from postroom.attaching.failures import Failure, Unusable
from postroom.attachment import LARGEST_BYTES

_LONGEST_PATH, _LONGEST_COMPONENT = 1024, 255
# Names that keys, credentials and databases have, without regard to case.
_SECRET = ("*.pem", "*.key", "id_*", "*.token", "*.db", "*.db-*", "*.sqlite*", "*.p12", "*.pfx")
_CONTROL = ("Cc", "Cf", "Zl", "Zp", "Cs")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Roots:
    """The folders below which absolute paths may lead, and those never read from."""

    def __init__(self, roots: Sequence[Path] = (), hidden: Sequence[Path] = ()) -> None:
        self._roots = sorted(roots, key=lambda root: len(root.parts), reverse=True)
        self._hidden = [path.resolve() for path in hidden]

    def read(self, text: str, files: Path) -> bytes:
        """A file's bytes: relative to a project's files, or absolute. Raises Unusable."""
        try:
            return self._read(text, files)
        except (OSError, ValueError):
            raise Unusable(Failure.PATH) from None

    def _read(self, text: str, files: Path) -> bytes:
        components = _components(text)
        if not text.startswith("/"):
            # The folder is the post room's own and no link.
            return _below(files, components, os.O_NOFOLLOW)
        root = next((root for root in self._roots if _holds(root, components)), None)
        if root is None:
            raise ValueError("below no root")
        rest = components[len(root.parts) - 1 :]
        real = root.resolve().joinpath(*rest)
        if any(real.is_relative_to(path) for path in self._hidden):
            raise ValueError("among the post room's own files")
        return _below(root, rest, 0)


def _components(text: str) -> list[str]:
    """The parts of a path that is plain text. Raises ValueError."""
    if len(text.encode()) > _LONGEST_PATH or not unicodedata.is_normalized("NFC", text):
        raise ValueError("too long, or not in the normal form")
    if any(letter == "\\" or unicodedata.category(letter) in _CONTROL for letter in text):
        raise ValueError("has letters that names do not have")
    components = text.removeprefix("/").split("/")
    if not all(map(_is_component, components)):
        raise ValueError("has a part that leads elsewhere")
    return components


def _is_component(text: str) -> bool:
    drive = len(text) > 1 and text[1] == ":"
    is_long = len(text.encode()) > _LONGEST_COMPONENT
    return text not in ("", ".", "..") and not text.startswith("~") and not drive and not is_long


def _holds(root: Path, components: Sequence[str]) -> bool:
    parts = root.parts[1:]
    return len(components) > len(parts) and tuple(components[: len(parts)]) == parts


def _below(root: Path, components: Sequence[str], flags: int) -> bytes:
    if any(map(_is_private, components)):
        raise ValueError("a name that is not given out")
    folder = os.open(root, _FOLDER | flags)
    try:
        file = beneath.opened(folder, components)
    finally:
        os.close(folder)
    try:
        return _content(file)
    finally:
        os.close(file)


def _is_private(name: str) -> bool:
    folded = name.casefold()
    return name.startswith(".") or any(fnmatch.fnmatchcase(folded, each) for each in _SECRET)


def _content(file: int) -> bytes:
    facts = os.fstat(file)
    is_plain = stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1
    if not is_plain or facts.st_size > LARGEST_BYTES:
        raise ValueError("no plain file of a fair size")
    with os.fdopen(os.dup(file), "rb") as stream:
        data = stream.read(LARGEST_BYTES + 1)
    if len(data) > LARGEST_BYTES:
        raise ValueError("has grown")
    return data
