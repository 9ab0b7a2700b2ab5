"""A message to be prepared, with a folder of files and attachments that were sent before."""

import asyncio
import base64
from pathlib import Path
from typing import Any, cast

from postroom.attaching.collect import Attacher
from postroom.attaching.pool import Workers
from postroom.attachment import AttachmentsPolicy, StoredFile
from postroom.enclosure import Enclosed, Wanted
from postroom.errors import Refusal
from tests.attaching.scripted import ScriptedWorkers


class Bench:
    """Prepares messages with scripted workers."""

    def __init__(self, files: Path, attacher: Attacher | None = None) -> None:
        self.files = files
        self.before: dict[str, StoredFile] = {}
        self.workers = ScriptedWorkers()
        self.attacher = attacher or Attacher()
        if attacher is None:
            self.attacher._workers = cast(Workers, self.workers)

    def file(self, name: str, data: bytes) -> str:
        """Put a file into the project's folder."""
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name

    def prepare(self, body: str = "", **wanted: Any) -> Enclosed:
        """As a local caller with the policy auto, unless told otherwise."""
        usual: dict[str, Any] = {"converts": True, "files": self.files}
        usual["policy"] = AttachmentsPolicy.AUTO
        whole = Wanted(body_md=body, stored=self._stored, **(usual | wanted))
        return asyncio.run(self.attacher.prepare(whole))

    def refusal(self, body: str = "", **wanted: Any) -> Refusal:
        """What the message is refused with."""
        try:
            self.prepare(body, **wanted)
        except Refusal as refusal:
            return refusal
        raise AssertionError("the message was taken")

    async def _stored(self, sha256: str) -> StoredFile | None:
        return self.before.get(sha256)


def uri(data: bytes, media_type: str = "image/png") -> str:
    """The data as a data URI."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
