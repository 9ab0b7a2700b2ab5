"""Whether stored images can be shown, tried where images are decoded: in bounded workers."""

import asyncio
from types import TracebackType
from typing import Self

from postroom.attaching.failures import Unusable
from postroom.attaching.pool import Workers


class Pictures:
    """Tries images one after another."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._workers = Workers(1)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the workers."""
        self._runner.run(self._workers.close())
        self._runner.close()

    def shows(self, content: bytes, media_type: str) -> bool:
        """Whether this is an image of the media type that can be decoded."""
        try:
            found = self._runner.run(self._workers.convert(content, keep=True))
        except Unusable:
            return False
        return found.media_type == media_type
