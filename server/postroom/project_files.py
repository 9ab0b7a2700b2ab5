"""The folders of projects' files, on the server's machine (messages.md, Attachments)."""

from pathlib import Path


class ProjectFiles:
    """Fulfils message_ports.ProjectFiles below one folder."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    def folder(self, project_id: str) -> Path:
        """See message_ports.ProjectFiles."""
        folder = self._archive / project_id / "files"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder
