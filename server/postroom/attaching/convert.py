"""One image to WebP. Runs in the worker only: the sole module that knows Pillow.

Decided here, each for a reason:

* Quality 80, method 2: methods 0 and 1 save a fifth of the time and give files a tenth
  larger; methods above 2 take twice the time for some two percent. Frames of an
  animation, of which there may be a hundred, are encoded with method 0.
* A still of few colours is also tried without loss, with little effort, and the smaller
  result is kept: diagrams and pictures of terminals stay sharp and are then a fifth of
  the size. More effort would cost a second for a grey photograph.
* Colours are brought into sRGB by the profile in the file, and the profile is dropped
  with all other metadata, so that only pixels are kept.
* A WebP file that is nothing but a picture stays as it is, so that an image which is
  quoted again and again neither fades nor changes its name.
"""

import io
import struct
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

from PIL import (
    GifImagePlugin,
    Image,
    ImageCms,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from postroom.attaching import bounds, webp
from postroom.attaching.failures import Failure, Unusable

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
_MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_MOVING = ("PNG", "GIF", "WEBP")
_QUALITY, _METHOD = 80, 2
_LITTLE_EFFORT = 20
_FEW_COLOURS, _FEW_PIXELS = 1024, 4_000_000
_ORIENTATION_TAG = 0x0112
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class Converted(NamedTuple):
    """The image to keep, with its size in pixels as it is shown."""

    data: bytes
    media_type: str
    width: int
    height: int


class _Frame(NamedTuple):
    picture: Image.Image
    # Milliseconds.
    duration: int


def prepare() -> None:
    """Set Pillow's own guards, and import what it would import later."""
    Image.preinit()
    Image.MAX_IMAGE_PIXELS = bounds.MOST_PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)


def converted(data: bytes, *, keep: bool) -> Converted:
    """Check and convert an image, or only check it. Raises Unusable."""
    try:
        with _opened(data) as image:
            _check(image)
            if keep or webp.is_bare(data):
                return _kept(data, image)
            frames = _frames(image)
            plays = _plays(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Unusable(Failure.TOO_MANY_PIXELS) from None
    except MemoryError:
        raise Unusable(Failure.TOO_COSTLY) from None
    except Unusable:
        raise
    except Exception:
        # Decoders raise whatever they like for a file that is not what it says.
        raise Unusable(Failure.BAD_IMAGE) from None
    return _encoded(frames, plays)


def _opened(data: bytes) -> Image.Image:
    width, height = webp.size(data) or (0, 0)
    if width * height > bounds.MOST_PIXELS:
        raise Unusable(Failure.TOO_MANY_PIXELS)
    return Image.open(io.BytesIO(data), formats=_FORMATS)


def _check(image: Image.Image) -> None:
    if image.width * image.height > bounds.MOST_PIXELS:
        raise Unusable(Failure.TOO_MANY_PIXELS)
    _check_in_all(image, _count(image))


def _count(image: Image.Image) -> int:
    # A JPEG file may hold more pictures, such as a preview; the first one is shown.
    return int(getattr(image, "n_frames", 1)) if image.format in _MOVING else 1


def _kept(data: bytes, image: Image.Image) -> Converted:
    """The file as it came, once all of it could be decoded."""
    for index in range(_count(image)):
        image.seek(index)
        image.load()
    media_type = _MEDIA_TYPES[image.format or ""]
    turned = _turn(image) in _SIDEWAYS
    width, height = image.size[::-1] if turned else image.size
    return Converted(data, media_type, width, height)


_SIDEWAYS = {_TURNS[5], _TURNS[6], _TURNS[7], _TURNS[8]}


def _turn(image: Image.Image) -> Image.Transpose | None:
    try:
        return _TURNS.get(image.getexif().get(_ORIENTATION_TAG, 1))
    except (OSError, SyntaxError, ValueError, TypeError, struct.error):
        # Metadata that cannot be read is dropped like any other.
        return None


def _frames(image: Image.Image) -> list[_Frame]:
    turn = _turn(image)
    recolour = _recolouring(image)
    # An animated PNG may begin with a picture for those who cannot show the rest.
    first = 1 if image.info.get("default_image") and _count(image) > 1 else 0
    found = []
    for index in range(first, _count(image)):
        image.seek(index)
        image.load()
        picture = _fitted(_turned(recolour(image), turn))
        found.append(_Frame(picture, round(image.info.get("duration") or 0)))
        _check_in_all(picture, len(found))
    return _on_one_canvas(found)


def _check_in_all(picture: Image.Image, count: int) -> None:
    pixels = picture.width * picture.height * count
    if count > bounds.MOST_FRAMES or (count > 1 and pixels > bounds.MOST_PIXELS_IN_ALL):
        raise Unusable(Failure.TOO_MANY_FRAMES)


def _on_one_canvas(frames: list[_Frame]) -> list[_Frame]:
    """A GIF's later frames may grow its canvas; WebP has one size for all."""
    size = max(f.picture.width for f in frames), max(f.picture.height for f in frames)
    return [
        frame if frame.picture.size == size else frame._replace(picture=_on(size, frame.picture))
        for frame in frames
    ]


def _on(size: tuple[int, int], picture: Image.Image) -> Image.Image:
    canvas = Image.new("RGBA", size)
    canvas.paste(picture)
    return canvas


def _turned(picture: Image.Image, turn: Image.Transpose | None) -> Image.Image:
    return picture if turn is None else picture.transpose(turn)


def _fitted(picture: Image.Image) -> Image.Image:
    longest = max(picture.size)
    if longest <= bounds.LONGEST_SIDE:
        return picture
    scale = bounds.LONGEST_SIDE / longest
    sides = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.resize(sides, Image.Resampling.LANCZOS)


def _recolouring(image: Image.Image) -> Callable[[Image.Image], Image.Image]:
    """How each frame becomes RGB or RGBA in the colours of sRGB."""
    profile = image.info.get("icc_profile")
    if not profile:
        return _plain

    def recolour(frame: Image.Image) -> Image.Image:
        try:
            return _by_profile(frame, profile)
        except (ImageCms.PyCMSError, OSError, ValueError):
            # A broken profile, or one for other colours than the picture's.
            return _plain(frame)

    return recolour


def _by_profile(frame: Image.Image, profile: bytes) -> Image.Image:
    source = frame if frame.mode in ("L", "CMYK") else _plain(frame)
    mode = "RGB" if source.mode in ("L", "CMYK") else source.mode
    result = ImageCms.profileToProfile(
        source, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode=mode
    )
    assert result is not None
    return result


def _plain(frame: Image.Image) -> Image.Image:
    mode = "RGBA" if frame.has_transparency_data else "RGB"
    deep = frame.mode.startswith("I")
    source = frame.point(lambda value: value / 256, "F").convert("L") if deep else frame
    return source.copy() if source.mode == mode else source.convert(mode)


def _plays(image: Image.Image) -> int:
    """How often an animation is shown; 0 is for ever."""
    loop = image.info.get("loop")
    if image.format != "GIF":
        return int(loop or 0)
    # A GIF counts the repeats; one that says nothing is shown once.
    return 1 if loop is None else loop and loop + 1


def _encoded(frames: list[_Frame], plays: int) -> Converted:
    first = frames[0].picture
    try:
        data = _animation(frames, plays) if len(frames) > 1 else _still(first)
    except Exception:
        # The pixels are sound by now: what the encoder lacks is memory.
        raise Unusable(Failure.TOO_COSTLY) from None
    return Converted(data, _MEDIA_TYPES["WEBP"], first.width, first.height)


def _still(picture: Image.Image) -> bytes:
    return min(_forms(picture), key=len)


def _forms(picture: Image.Image) -> Iterator[bytes]:
    if picture.width * picture.height <= _FEW_PIXELS and picture.getcolors(_FEW_COLOURS):
        yield _saved(picture, lossless=True, quality=_LITTLE_EFFORT, method=_METHOD)
    yield _saved(picture, quality=_QUALITY, method=_METHOD)


def _animation(frames: list[_Frame], plays: int) -> bytes:
    first, *others = frames
    return _saved(
        first.picture,
        save_all=True,
        append_images=[frame.picture for frame in others],
        duration=[frame.duration for frame in frames],
        loop=min(plays, 0xFFFF),
        background=(0, 0, 0, 0),
        quality=_QUALITY,
        method=0,
    )


def _saved(picture: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.info = {}
    picture.save(buffer, "WEBP", exif=b"", xmp=b"", icc_profile=b"", **options)
    return buffer.getvalue()
