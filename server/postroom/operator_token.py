"""The operator's token: made at the first start, kept in a file that only its user can read."""

import contextlib
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from postroom import token
from postroom.agent import OPERATOR
from postroom.errors import CallerUnknown
from postroom.ports import Session, Store
from postroom.token import RandomBytes, Token

_LABEL = "made at the start of a server"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_LONGEST = 4096


class NotKept(Exception):
    """The token cannot be kept where nobody else gets at it; the text says why."""


def keep(
    store: Store, folder: Path, now: int, random_bytes: RandomBytes = secrets.token_bytes
) -> Path:
    """Make sure that the file holds a live token of the operator; returns the file.

    A token that is in order is kept. Raises NotKept, and StoreRefusal.
    """
    path = folder / token.OPERATOR_FILE
    try:
        with _alone_in(folder):
            if not _is_in_order(store, path, now):
                path.unlink(missing_ok=True)
                _write(path, _add(store, now, random_bytes))
    except OSError as error:
        raise NotKept(f"cannot keep the operator's token in {path}: {error.strerror}") from None
    return path


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep servers that start together from overwriting each other's token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Whoever may write to the folder could put a file of their own in this one's place.
        if os.fstat(descriptor).st_mode & _WRITABLE:
            told = f"other users may write to {folder}; run: chmod go-w {folder}"
            raise NotKept(told)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _is_in_order(store: Store, path: Path, now: int) -> bool:
    found = _parsed(path)
    if found is None:
        return False
    key_id, secret, is_private = found
    # As a write, because that has a connection of its own already, which is closed in the end.
    kept = store.write(lambda session: session.token(key_id))
    is_good = token.matches(kept, secret) and kept is not None and kept.agent_id == OPERATOR
    if is_good and kept and not is_private and kept.is_live(now):
        # Others could read it, so it proves nothing any more.
        _revoke(store, kept, now)
    return is_good and is_private and kept is not None and kept.is_live(now)


def _parsed(path: Path) -> tuple[str, str, bool] | None:
    """Key id, secret, and whether nobody else could read them; None where there is no token."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        text = file.read(_LONGEST).decode("ascii", "replace").strip()
    try:
        key_id, secret = token.parse(text)
    except CallerUnknown:
        return None
    if not text.startswith(token.OPERATOR_PREFIX):
        return None
    return key_id, secret, not found.st_mode & _OTHERS


def _add(store: Store, now: int, random_bytes: RandomBytes) -> str:
    def add(session: Session) -> str:
        operator = session.agent(OPERATOR)
        assert operator is not None
        made, text = token.issue(random_bytes, operator, _LABEL, now, None)
        session.add_token(made)
        return text

    return store.write(add)


def _revoke(store: Store, kept: Token, now: int) -> None:
    store.write(lambda session: session.revoke_token(kept, now))


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(descriptor)
