"""Workers that convert at once: what comes out is read from what goes in."""

import hashlib

from postroom.attaching.failures import Failure, Unusable
from postroom.attachment import StoredFile


def picture(size: int = 10, seed: str = "a") -> bytes:
    """Becomes a WebP file of so many bytes."""
    return f"{seed} {size}".encode()


def bad(failure: Failure = Failure.BAD_IMAGE) -> bytes:
    """Cannot be converted, for this reason."""
    return f"fails {failure}".encode()


def stored(data: bytes, media_type: str = "image/webp") -> StoredFile:
    """A file as it is stored."""
    return StoredFile(
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=media_type,
        width=4,
        height=3,
        data=data,
    )


class ScriptedWorkers:
    """Counts what it is asked for."""

    def __init__(self) -> None:
        self.converted: list[bytes] = []

    async def convert(self, data: bytes, *, keep: bool = False) -> StoredFile:
        """As `picture` and `bad` say."""
        self.converted.append(data)
        seed, size = data.decode().split()[:2]
        if seed == "fails":
            raise Unusable(Failure(size))
        if keep:
            return stored(data, "image/png")
        return stored(data[:10].ljust(int(size), b"."))

    async def close(self) -> None:
        """Nothing runs."""
