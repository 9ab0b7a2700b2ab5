"""Pictures to WebP. In the worker only.

Decided here, each for a reason:

* Quality 80, method 2: methods 0 and 1 save a fifth of the time and give files a tenth
  larger; methods above 2 take twice the time for some two percent. Frames of an
  animation, of which there may be a hundred, are encoded with method 0.
* A still of few colours is also tried without loss, with little effort, and the smaller
  result is kept: diagrams and pictures of terminals stay sharp and are then a fifth of
  the size. More effort would cost a second for a grey photograph.
"""

import io
from collections.abc import Iterator

from PIL import Image

from postroom.attaching.frames import Film

_QUALITY, _METHOD = 80, 2
_LITTLE_EFFORT, _QUICKEST = 20, 0
_FEW_COLOURS, _FEW_PIXELS = 1024, 4_000_000
_MOST_PLAYS = 0xFFFF


def encoded(film: Film) -> bytes:
    """The file, without metadata."""
    return _animation(film) if len(film.frames) > 1 else _still(film.frames[0].picture)


def _still(picture: Image.Image) -> bytes:
    return min(_forms(picture), key=len)


def _forms(picture: Image.Image) -> Iterator[bytes]:
    is_small = picture.width * picture.height <= _FEW_PIXELS
    if is_small and picture.getcolors(_FEW_COLOURS):
        yield _saved(picture, lossless=True, quality=_LITTLE_EFFORT, method=_METHOD)
    yield _saved(picture, quality=_QUALITY, method=_METHOD)


def _animation(film: Film) -> bytes:
    first, *others = (frame.picture for frame in film.frames)
    return _saved(
        first,
        save_all=True,
        append_images=others,
        duration=[frame.duration for frame in film.frames],
        loop=min(film.plays, _MOST_PLAYS),
        background=(0, 0, 0, 0),
        quality=_QUALITY,
        method=_QUICKEST,
    )


def _saved(picture: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", exif=b"", xmp=b"", icc_profile=b"", **options)
    return buffer.getvalue()
