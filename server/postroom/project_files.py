"""The folders of projects' files, on the server's machine (messages.md, Attachments)."""

import errno
from pathlib import Path

from postroom.errors import Code, StoreRefusal

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NOT_ALLOWED = (errno.EROFS, errno.EACCES, errno.EPERM)


class ProjectFiles:
    """Fulfils message_ports.ProjectFiles below one folder."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    def place(self, project_id: str) -> Path:
        """See message_ports.ProjectFiles."""
        return self._archive / project_id / "files"

    def folder(self, project_id: str) -> Path:
        """See message_ports.ProjectFiles."""
        folder = self.place(project_id)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _refusal(error) from error
        return folder


def _refusal(error: OSError) -> StoreRefusal:
    told = "the folder for the project's files cannot be made"
    if error.errno in _FULL:
        told += ": there is no room left; nothing was written, free some space"
        return StoreRefusal(told, Code.RESOURCE_EXHAUSTED, "STORAGE_FULL")
    if error.errno in _NOT_ALLOWED:
        told += ": the data directory cannot be written to; mend its permissions"
        return StoreRefusal(told, Code.FAILED_PRECONDITION, "STORAGE_READ_ONLY")
    told += "; nothing was written, have the operator look at the data directory"
    return StoreRefusal(told, Code.UNAVAILABLE, "FILES_UNAVAILABLE")
