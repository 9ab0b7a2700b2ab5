"""Twelve small files that want much memory or time, each in its own way."""

import struct
from collections.abc import Callable, Mapping

from PIL import Image

from tests.attaching.pictures import drawing, flat, moving, noise, png, png_of, saved


def _wide_png() -> bytes:
    return png(9000, 9000, flat(9000 * (1 + 3 * 9000)))


def _header_only() -> bytes:
    return png(60_000, 60_000, flat(1000))


def _deep_png() -> bytes:
    """As many pixels as are taken, with as many bits as there can be."""
    return png(6000, 4000, flat(4000 * (1 + 8 * 6000)), depth=16, colour=6)


def _overfull_png() -> bytes:
    """A small picture with a gigabyte behind it."""
    return png(100, 100, flat(1 << 30))


def _text_png() -> bytes:
    text = b"note\0\0" + flat(1 << 29)
    return png_of(10, 10, [(b"zTXt", text), (b"IDAT", flat(310))])


def _profile_png() -> bytes:
    profile = b"profile\0\0" + flat(1 << 29)
    return png_of(10, 10, [(b"iCCP", profile), (b"IDAT", flat(310))])


def _large_jpeg() -> bytes:
    """The header of a small JPEG file, changed to tell of 65,500 pixels a side."""
    data = bytearray(saved(drawing(), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", 65_500, 65_500)
    return bytes(data)


def _wide_gif() -> bytes:
    data = bytearray(saved(drawing(mode="P"), "GIF"))
    data[6:10] = struct.pack("<HH", 65_535, 65_535)
    return bytes(data)


def _growing_gif() -> bytes:
    """A small screen, and a frame that is put far outside of it."""
    data = bytearray(saved(drawing(mode="P"), "GIF"))
    at = data.index(b"\x2c\0\0\0\0" + struct.pack("<HH", 40, 20))
    data[at + 1 : at + 5] = struct.pack("<HH", 65_000, 65_000)
    return bytes(data)


def _endless_gif() -> bytes:
    """Some 400,000 frames of one pixel."""
    start = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0"
    return start + frame * 400_000 + b"\x3b"


def _long_gif() -> bytes:
    """A hundred frames of turning noise: all that is taken, and slow to encode."""
    base = noise(80, 60).quantize(64).resize((800, 600), Image.Resampling.NEAREST)
    frames = [base.rotate(index * 3) for index in range(100)]
    return saved(frames[0], "GIF", save_all=True, append_images=frames[1:], optimize=False)


def _wide_webp() -> bytes:
    """The canvas of a small animation, changed to the largest that there is."""
    data = bytearray(moving("WEBP"))
    at = data.index(b"VP8X") + 12
    data[at : at + 6] = (16_382).to_bytes(3, "little") * 2
    return bytes(data)


BOMBS: Mapping[str, Callable[[], bytes]] = {
    "81 megapixels": _wide_png,
    "a header alone": _header_only,
    "16 bits a colour": _deep_png,
    "a gigabyte behind the pixels": _overfull_png,
    "half a gigabyte of text": _text_png,
    "half a gigabyte of profile": _profile_png,
    "a changed JPEG header": _large_jpeg,
    "a wide GIF": _wide_gif,
    "a frame outside": _growing_gif,
    "400,000 frames": _endless_gif,
    "a long animation": _long_gif,
    "a wide canvas": _wide_webp,
}
