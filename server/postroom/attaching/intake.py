"""Taking the images of one message: from bytes, files and attachments stored before."""

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path

from postroom.attaching.destinations import Kind, decoded, kind_of, stored_sha256
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.paths import Roots
from postroom.attaching.pool import Workers
from postroom.attachment import (
    LARGEST_BYTES,
    LARGEST_TOTAL_BYTES,
    MEDIA_TYPE,
    Attachment,
    Mode,
    StoredFile,
    path_of,
)
from postroom.enclosure import Stored


@dataclass(frozen=True, slots=True)
class Taken:
    """An image that can be used; `is_new` if it has still to be stored."""

    file: StoredFile
    is_new: bool

    @property
    def path(self) -> str:
        """Its place among the project's files."""
        return path_of(self.file.sha256, self.file.media_type)

    @property
    def beside(self) -> Mode:
        """How it is carried when it is not in the body."""
        return Mode.FILE if self.file.media_type == MEDIA_TYPE else Mode.KEPT

    def attachment(self, name: str, mode: Mode) -> Attachment:
        """What the message says of it."""
        return Attachment(
            name=name,
            mode=mode,
            media_type=self.file.media_type,
            path=self.path,
            sha256=self.file.sha256,
            bytes=len(self.file.data),
            width=self.file.width,
            height=self.file.height,
        )


class Intake:
    """Takes images one after another, so that no message holds all workers."""

    def __init__(
        self, workers: Workers, roots: Roots, *, files: Path | None, stored: Stored, keep: bool
    ) -> None:
        self._workers, self._roots = workers, roots
        self._files, self._stored, self._keep = files, stored, keep
        self._bytes = 0
        self._done: dict[bytes, StoredFile] = {}
        self._was_costly = False

    async def named(self, text: str) -> Taken:
        """What a path or a data URI names. Raises Unusable."""
        kind = kind_of(text)
        if kind is Kind.STORED:
            return await self._stored_before(text)
        return await self.data(decoded(text) if kind is Kind.DATA else await self._read(text))

    async def path(self, text: str) -> Taken:
        """What an attachment path names: no data URI. Raises Unusable."""
        if kind_of(text) is Kind.STORED:
            return await self._stored_before(text)
        return await self.data(await self._read(text))

    async def data(self, data: bytes) -> Taken:
        """An image that came as bytes; the same bytes are converted once. Raises Unusable."""
        if len(data) > LARGEST_BYTES:
            raise Unusable(Failure.TOO_MANY_BYTES)
        if self._bytes + len(data) > LARGEST_TOTAL_BYTES:
            raise Unusable(Failure.TOO_MANY_BYTES_IN_ALL)
        key = hashlib.sha256(data).digest()
        if key not in self._done:
            self._done[key] = await self._converted(data)
        self._bytes += len(data)
        return Taken(self._done[key], is_new=True)

    async def _converted(self, data: bytes) -> StoredFile:
        if self._was_costly:
            raise Unusable(Failure.TOO_COSTLY_BEFORE)
        try:
            return await self._workers.convert(data, keep=self._keep)
        except Unusable as unusable:
            self._was_costly = unusable.failure is Failure.TOO_COSTLY
            raise

    async def _stored_before(self, path: str) -> Taken:
        file = await self._stored(stored_sha256(path))
        if file is None or path_of(file.sha256, file.media_type) != path:
            raise Unusable(Failure.PATH)
        return Taken(file, is_new=False)

    async def _read(self, path: str) -> bytes:
        if self._files is None:
            raise Unusable(Failure.PATHS_DISABLED)
        return await asyncio.to_thread(self._roots.read, path, self._files)
