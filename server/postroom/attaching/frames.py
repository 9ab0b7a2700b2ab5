"""The pictures of an image file, upright and in the colours of sRGB. In the worker only.

Colours are brought into sRGB by the profile in the file, which can then be dropped with
all other metadata.
"""

import copy
import io
import struct
from collections.abc import Callable
from typing import NamedTuple

from PIL import Image, ImageCms

from postroom.attaching import bounds
from postroom.attaching.failures import Failure, Unusable

# Pillow imports it when the first GIF is opened, which is too late in a worker.
LATE = (copy,)
# A JPEG file may hold more pictures, such as a preview; the first one is shown.
_MOVING = ("PNG", "GIF", "WEBP")
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
_SIDEWAYS = (_TURNS[5], _TURNS[6], _TURNS[7], _TURNS[8])
_Change = Callable[[Image.Image], Image.Image]


class Frame(NamedTuple):
    """One picture, and for how many milliseconds it is shown."""

    picture: Image.Image
    duration: int


class Film(NamedTuple):
    """All pictures, of one size, and how often they are shown; 0 is for ever."""

    frames: list[Frame]
    plays: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.frames[0].picture.size


def count(image: Image.Image) -> int:
    """How many pictures are shown."""
    return int(getattr(image, "n_frames", 1)) if image.format in _MOVING else 1


def check_in_all(picture: Image.Image, frames: int) -> None:
    """Raise Unusable if so many such pictures are too many."""
    pixels = picture.width * picture.height
    if pixels > bounds.MOST_PIXELS:
        raise Unusable(Failure.TOO_MANY_PIXELS)
    too_many = frames > 1 and pixels * frames > bounds.MOST_PIXELS_IN_ALL
    if too_many or frames > bounds.MOST_FRAMES:
        raise Unusable(Failure.TOO_MANY_FRAMES)


def shown_size(image: Image.Image) -> tuple[int, int]:
    """Width and height as the picture is shown."""
    return image.size[::-1] if _turn(image) in _SIDEWAYS else image.size


def film(image: Image.Image) -> Film:
    """Decode all pictures. Raises Unusable, and whatever decoders raise."""
    change = _changing(image)
    # An animated PNG may begin with a picture for those who cannot show the rest.
    first = 1 if image.info.get("default_image") and count(image) > 1 else 0
    found: list[Frame] = []
    for index in range(first, count(image)):
        image.seek(index)
        image.load()
        # A GIF's later frames may grow its canvas.
        check_in_all(image, len(found) + 1)
        found.append(Frame(change(image), round(image.info.get("duration") or 0)))
    return Film(_on_one_canvas(found), _plays(image))


def _plays(image: Image.Image) -> int:
    loop = image.info.get("loop")
    if image.format != "GIF":
        return int(loop or 0)
    # A GIF counts the repeats; one that says nothing is shown once.
    return 1 if loop is None else loop and loop + 1


def _changing(image: Image.Image) -> _Change:
    """What is done to each picture."""
    turn, recolour = _turn(image), _recolouring(image)

    def change(frame: Image.Image) -> Image.Image:
        picture = recolour(frame)
        return _fitted(picture if turn is None else picture.transpose(turn))

    return change


def _turn(image: Image.Image) -> Image.Transpose | None:
    try:
        return _TURNS.get(image.getexif().get(_ORIENTATION_TAG, 1))
    except (SyntaxError, ValueError, TypeError, struct.error):
        # Metadata that cannot be read is dropped like any other.
        return None


def _recolouring(image: Image.Image) -> _Change:
    profile = image.info.get("icc_profile")
    if not profile:
        return _plain

    def recolour(frame: Image.Image) -> Image.Image:
        try:
            return _by_profile(frame, profile)
        except (ImageCms.PyCMSError, ValueError):
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
    # Of 16 bits of grey the upper eight.
    source = frame.point(lambda value: value / 256, "L") if frame.mode == "I;16" else frame
    if source.mode != mode:
        return source.convert(mode)
    # A still needs no second copy of its pixels; a film's next frame overwrites them.
    return source.copy() if count(frame) > 1 else source


def _fitted(picture: Image.Image) -> Image.Image:
    longest = max(picture.size)
    if longest <= bounds.LONGEST_SIDE:
        return picture
    scale = bounds.LONGEST_SIDE / longest
    sides = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.resize(sides, Image.Resampling.LANCZOS)


def _on_one_canvas(frames: list[Frame]) -> list[Frame]:
    size = max(f.picture.width for f in frames), max(f.picture.height for f in frames)
    return [
        frame if frame.picture.size == size else frame._replace(picture=_on(size, frame.picture))
        for frame in frames
    ]


def _on(size: tuple[int, int], picture: Image.Image) -> Image.Image:
    canvas = Image.new("RGBA", size)
    canvas.paste(picture)
    return canvas
