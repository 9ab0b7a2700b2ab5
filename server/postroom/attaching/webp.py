"""What a WebP file says of itself, read without decoding it."""

from collections.abc import Iterator

# Frame data, their colours and nothing else: whatever is in other chunks is metadata.
_PICTURE = {b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"VP8 ", b"VP8L"}
_METADATA_FLAGS = 0x20 | 0x08 | 0x04
_FRAME_HEADER = 16
# The file's header, the first chunk's, and as much of it as holds the sides.
_SHORTEST = 30


def size(data: bytes) -> tuple[int, int] | None:
    """Width and height of the canvas; None when this is no WebP file.

    Pillow's decoder takes memory for two canvases on opening, so they are looked at first.
    """
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < _SHORTEST:
        return None
    body = data[20:_SHORTEST]
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    sides = int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")
    return sides[0] & 0x3FFF, sides[1] & 0x3FFF


def is_bare(data: bytes) -> bool:
    """Whether this is a WebP file with nothing in it but the picture."""
    if size(data) is None or len(data) != 8 + int.from_bytes(data[4:8], "little"):
        return False
    try:
        return all(_is_picture(name, body) for name, body in _chunks(data[12:]))
    except ValueError:
        return False


def _is_picture(name: bytes, body: bytes) -> bool:
    if name == b"ANMF":
        return all(inner in _PICTURE for inner, _ in _chunks(body[_FRAME_HEADER:]))
    return name in _PICTURE and not (name == b"VP8X" and body[0] & _METADATA_FLAGS)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        end = at + 8 + length + length % 2
        if end > len(data) or not length:
            raise ValueError("a chunk is cut off")
        yield data[at : at + 4], data[at + 8 : at + 8 + length]
        at = end
