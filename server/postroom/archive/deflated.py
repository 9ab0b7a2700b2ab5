"""A folder as a zlib stream (RFC 1950, RFC 1951), of which only what is new is compressed.

The folder of a month with 50,000 messages is 3 MB and is written with each commit. It
compresses to 0.62 of that, and slowly: the rest is hashes. But it mostly grows at its end, so
it is compressed in blocks that know nothing of each other, each of them once.
"""

import zlib
from collections.abc import Iterator
from struct import pack

from postroom.archive.packfile import Part

_HEAD = b"\x78\x01"
_BLOCK_BYTES = 16 * 1024
# What was read anew is caught up with by and by: 3 ms at a time for each folder.
_MOST_AT_ONCE = 8
_QUICK, _RAW = 1, -15
# Of a block that is stored as it is.
_LONGEST_STORED = 0xFFFF
_SUM_OF_NOTHING = 1


class Deflated:
    """Remembers the compressed blocks; whoever changes the text says from where on."""

    def __init__(self) -> None:
        self._packed = bytearray()
        # For each block where it ends in `_packed`, and the Adler-32 of the text up to there.
        self._ends: list[tuple[int, int]] = []
        # So many bytes of the text were there the last time, and have not changed since.
        self._steady = 0

    def change(self, at: int) -> None:
        """From this byte on, the text is not what it was."""
        self._steady = min(self._steady, at)
        if at < len(self._ends) * _BLOCK_BYTES:
            del self._ends[at // _BLOCK_BYTES :]
            del self._packed[self._end[0] :]

    def parts(self, text: bytearray) -> Iterator[Part]:
        """The whole stream. Looks into the text, which must stay as it is meanwhile."""
        view = memoryview(text)
        self._compress(view)
        self._steady = len(text)
        rest = view[len(self._ends) * _BLOCK_BYTES :]
        yield _HEAD
        yield memoryview(self._packed)
        yield from _stored(rest)
        yield pack(">I", zlib.adler32(rest, self._end[1]))

    @property
    def _end(self) -> tuple[int, int]:
        return self._ends[-1] if self._ends else (0, _SUM_OF_NOTHING)

    def _compress(self, text: memoryview) -> None:
        """Compress blocks that have stayed as they were, for they are likely to go on so."""
        done = len(self._ends)
        for number in range(done, min(done + _MOST_AT_ONCE, self._steady // _BLOCK_BYTES)):
            block = text[number * _BLOCK_BYTES : (number + 1) * _BLOCK_BYTES]
            compressor = zlib.compressobj(_QUICK, zlib.DEFLATED, _RAW)
            total = zlib.adler32(block, self._end[1])
            self._packed += compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
            self._ends.append((len(self._packed), total))


def _stored(text: memoryview) -> Iterator[Part]:
    """The end of a stream, not compressed; even nothing needs a last block."""
    for start in range(0, max(len(text), 1), _LONGEST_STORED):
        block = text[start : start + _LONGEST_STORED]
        is_last = start + _LONGEST_STORED >= len(text)
        yield pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF)
        yield block
