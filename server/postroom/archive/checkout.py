"""The files of an archive written out: as a folder to read in, or as one file to keep."""

import io
import os
import stat
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from postroom.archive.git import ArchiveFailure
from postroom.archive.reading import Listed, Snapshot

# Marks a folder as one that was written here, and names the project.
MARKER = ".postroom-checkout"
_PLAIN_FILE = b"100644"
_ELSEWHERE = ("", ".", "..", ".git")
_NO_LINK = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_RDONLY


class NotOurs(Exception):
    """The target holds something else, and is left as it is; the text says what to do."""


def checkout(snapshot: Snapshot, project_id: str, target: Path) -> int:
    """Write all files into a new or empty folder, or over an earlier checkout of the project.

    Returns how many there are. Never follows a link. Raises NotOurs, OSError and
    ArchiveFailure.
    """
    _must_be_ours(target, project_id)
    files = _plain(snapshot)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = os.open(target, _NO_LINK)
    try:
        _write(root, MARKER, f"{project_id}\n".encode())
        for file in files:
            _place(root, file.path, snapshot.content(file.id))
    finally:
        os.close(root)
    return len(files)


def export(snapshot: Snapshot, target: Path) -> int:
    """Write all files into a new .tar, .tar.gz or .zip. Raises NotOurs, OSError."""
    files = _plain(snapshot)
    at = snapshot.head.at if snapshot.head else 0
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(target, flags, 0o600)
    except FileExistsError:
        raise NotOurs(f"{target} is there; name a new file") from None
    try:
        with os.fdopen(descriptor, "wb") as out:
            if target.suffix == ".zip":
                _zip(snapshot, files, at, out)
            else:
                _tar(snapshot, files, at, out, compressed=target.suffix in (".gz", ".tgz"))
    except BaseException:
        # Half an export would look like a whole one, and keep the next from being made.
        target.unlink(missing_ok=True)
        raise
    return len(files)


def _plain(snapshot: Snapshot) -> list[Listed]:
    """All plain files. Raises ArchiveFailure for a name that was never written here.

    Git itself writes no such entry, but whoever makes objects by hand can.
    """
    files = [file for file in snapshot.files() if file.mode == _PLAIN_FILE]
    for file in files:
        if any(part.lower() in _ELSEWHERE for part in file.path.split("/")):
            raise ArchiveFailure(f"the archive holds {file.path!r}, which would lead elsewhere")
    return files


def _must_be_ours(target: Path, project_id: str) -> None:
    if target.is_symlink():
        raise NotOurs(f"{target} is a link; name the folder itself")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    marker = target / MARKER
    if target.is_dir() and marker.is_file() and not marker.is_symlink():
        if marker.read_text().strip() == project_id:
            return
        raise NotOurs(f"{target} is a checkout of another project; name another folder")
    raise NotOurs(f"{target} is not empty and no earlier checkout; name a new folder")


def _place(root: int, path: str, content: bytes) -> None:
    *folders, name = path.split("/")
    at = os.dup(root)
    try:
        for folder in folders:
            inner = _enter(at, folder)
            os.close(at)
            at = inner
        _write(at, name, content)
    finally:
        os.close(at)


def _enter(at: int, folder: str) -> int:
    try:
        return os.open(folder, _NO_LINK, dir_fd=at)
    except FileNotFoundError:
        os.mkdir(folder, 0o700, dir_fd=at)
        return os.open(folder, _NO_LINK, dir_fd=at)
    except OSError:
        raise NotOurs(f"{folder} in the checkout is no folder; remove it") from None


def _write(at: int, name: str, content: bytes) -> None:
    """Put a file in place whole; a link under its name is replaced, not followed."""
    fresh = f".{name}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(fresh, flags, 0o600, dir_fd=at), "wb") as file:
        file.write(content)
    os.rename(fresh, name, src_dir_fd=at, dst_dir_fd=at)


def _tar(
    snapshot: Snapshot, files: list[Listed], at: int, out: io.BufferedWriter, *, compressed: bool
) -> None:
    with tarfile.open(fileobj=out, mode="w|gz" if compressed else "w|") as archive:
        for file in files:
            content = snapshot.content(file.id)
            row = tarfile.TarInfo(file.path)
            row.size, row.mtime, row.mode = len(content), at, 0o600
            archive.addfile(row, io.BytesIO(content))


def _zip(snapshot: Snapshot, files: list[Listed], at: int, out: io.BufferedWriter) -> None:
    moment = max(datetime.fromtimestamp(at, UTC), datetime(1980, 1, 1, tzinfo=UTC))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            row = zipfile.ZipInfo(file.path, moment.timetuple()[:6])
            row.external_attr = (stat.S_IFREG | 0o600) << 16
            archive.writestr(row, snapshot.content(file.id), zipfile.ZIP_DEFLATED)
