"""One image to WebP, or checked and kept as it came. Runs in the worker only.

All metadata is dropped, so that only pixels are kept. A WebP file that is nothing but a
picture stays as it is, so that an image which is quoted again and again neither fades
nor changes its name.
"""

import errno
import io
import warnings
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from PIL import (
    GifImagePlugin,
    Image,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from postroom.attaching import bounds, webp
from postroom.attaching.encode import encoded
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.frames import Film, check_in_all, count, film, shown_size

# Imported before the worker locks itself in; Pillow would look for them later.
PLUGINS = (
    GifImagePlugin,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_WEBP = "image/webp"
_MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": _WEBP,
}
_T = TypeVar("_T")


class Converted(NamedTuple):
    """The image to keep, with its size in pixels as it is shown."""

    data: bytes
    media_type: str
    width: int
    height: int


def prepare() -> None:
    """Set Pillow's own guards."""
    Image.preinit()
    Image.MAX_IMAGE_PIXELS = bounds.MOST_PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)


def converted(data: bytes, *, keep: bool) -> Converted:
    """Check and convert an image, or only check it. Raises Unusable."""
    if keep or webp.is_bare(data):
        return Converted(data, *_decoded(data, _facts))
    pictures = _decoded(data, film)
    return Converted(_encoded(pictures), _WEBP, *pictures.size)


def _decoded(data: bytes, read: Callable[[Image.Image], _T]) -> _T:
    """What is read from the file. Nothing of the decoder's is in memory afterwards."""
    try:
        with _opened(data) as image:
            return read(image)
    except Unusable:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Unusable(Failure.TOO_MANY_PIXELS) from None
    except MemoryError:
        raise Unusable(Failure.TOO_COSTLY) from None
    except Exception as error:
        # The worker may open nothing more: something is missing among what is imported.
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            raise
        # Decoders raise whatever they like for a file that is not what it says.
        raise Unusable(Failure.BAD_IMAGE) from None


def _opened(data: bytes) -> Image.Image:
    # Pillow's decoder of WebP takes memory for the whole canvas when it is opened.
    width, height = webp.size(data) or (0, 0)
    if width * height > bounds.MOST_PIXELS:
        raise Unusable(Failure.TOO_MANY_PIXELS)
    image = Image.open(io.BytesIO(data), formats=_FORMATS)
    check_in_all(image, count(image))
    return image


def _facts(image: Image.Image) -> tuple[str, int, int]:
    """Media type, width and height, once all of it could be decoded."""
    for index in range(count(image)):
        image.seek(index)
        image.load()
    return _MEDIA_TYPES[image.format or ""], *shown_size(image)


def _encoded(pictures: Film) -> bytes:
    try:
        return encoded(pictures)
    except Exception:
        # The pixels are sound by now: what the encoder lacks is memory.
        raise Unusable(Failure.TOO_COSTLY) from None
