"""Image files made by code, good and bad."""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw

_BLOCK = 1 << 20


def saved(picture: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    """The picture as a file."""
    buffer = io.BytesIO()
    picture.save(buffer, form, **options)
    return buffer.getvalue()


def opened(data: bytes) -> Image.Image:
    """The file as a picture."""
    return Image.open(io.BytesIO(data))


def drawing(width: int = 40, height: int = 20, mode: str = "RGB") -> Image.Image:
    """Red on the left, blue on the right, a white line across."""
    picture = Image.new("RGB", (width, height), "red")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((width // 2, 0, width, height), fill="blue")
    draw.line((0, 0, width, height), fill="white")
    return picture.convert(mode)


def noise(width: int, height: int) -> Image.Image:
    """A picture that does not compress; the same each time."""
    bits, state = bytearray(), 1
    for _ in range(width * height * 3):
        state = (state * 1103515245 + 12345) % (1 << 31)
        bits.append(state >> 16 & 255)
    return Image.frombytes("RGB", (width, height), bytes(bits))


def moving(form: str, count: int = 3, size: tuple[int, int] = (30, 20), **options: Any) -> bytes:
    """An animation of frames that differ."""
    frames = [Image.new("RGB", size, (index * 7 % 256, index % 256, 90)) for index in range(count)]
    options = {"duration": 70, "loop": 0} | options
    return saved(frames[0], form, save_all=True, append_images=frames[1:], **options)


def png(width: int, height: int, rows: bytes, *, depth: int = 8, colour: int = 2) -> bytes:
    """A PNG file of a size, whatever is in it."""
    return png_of(width, height, [(b"IDAT", rows)], depth=depth, colour=colour)


def png_of(
    width: int,
    height: int,
    chunks: Sequence[tuple[bytes, bytes]],
    *,
    depth: int = 8,
    colour: int = 2,
) -> bytes:
    """A PNG file of chunks between its header and its end."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    every = [(b"IHDR", header), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in every)


def _chunk(name: bytes, body: bytes) -> bytes:
    end = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + end


def flat(length: int) -> bytes:
    """So many zeros in zlib's format, made without compressing them all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(bytes(_BLOCK)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(bytes(length % _BLOCK)) + packer.flush()
    checksum = length % 65_521 << 16 | 1
    return b"\x78\xda" + block * (length // _BLOCK) + rest + struct.pack(">I", checksum)
