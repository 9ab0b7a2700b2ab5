import io
import struct
from typing import Any

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from postroom.attaching.failures import Failure, Unusable
from tests.attaching.conftest import Convert
from tests.attaching.pictures import drawing, flat, moving, noise, opened, png, saved

MODES = {
    "PNG": ("1", "L", "LA", "I;16", "P", "RGB", "RGBA"),
    "JPEG": ("L", "RGB", "CMYK"),
    "GIF": ("L", "P"),
    "WEBP": ("RGB", "RGBA"),
}
CASES = [(form, mode) for form, modes in MODES.items() for mode in modes]


def near(one: tuple[int, ...], other: tuple[int, ...], by: int = 40) -> bool:
    return all(abs(a - b) <= by for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("form", "mode"), CASES)
def test_every_kind_of_picture_becomes_webp_that_looks_the_same(
    convert: Convert, form: str, mode: str
) -> None:
    picture = drawing(mode=mode)
    found = convert(saved(picture, form))
    after = opened(found.data)
    assert (after.format, found.media_type) == ("WEBP", "image/webp")
    assert (found.width, found.height) == after.size == picture.size
    wanted = opened(saved(picture, form))
    grey = wanted.point(lambda value: value / 256, "L") if wanted.mode == "I;16" else wanted
    for place in ((4, 15), (35, 4)):
        before = grey.convert("RGB").getpixel(place)
        assert near(after.convert("RGB").getpixel(place), before)  # type: ignore[arg-type]


def test_transparency_is_kept(convert: Convert) -> None:
    picture = drawing(mode="RGBA")
    picture.putpixel((0, 0), (0, 0, 0, 0))
    palette = drawing(mode="P")
    palette.info["transparency"] = palette.getpixel((39, 1))
    assert opened(convert(saved(picture)).data).convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]
    after = opened(convert(saved(palette)).data).convert("RGBA")
    assert [after.getpixel(at)[3] for at in ((39, 1), (1, 19))] == [0, 255]  # type: ignore[index]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_its_metadata_says(convert: Convert, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(drawing(), "JPEG", exif=exif, quality=95)
    found, kept = convert(data), convert(data, keep=True)
    after = opened(found.data)
    assert (found.width, found.height) == after.size == (kept.width, kept.height)
    assert after.size == ((20, 40) if orientation > 4 else (40, 20))
    # The blue half is on the right at first.
    wanted = {1: "right", 2: "left", 3: "left", 4: "right", 5: "bottom", 6: "bottom"}
    sides = {"right": (36, 10), "left": (3, 10), "bottom": (10, 36), "top": (10, 3)}
    place = sides[wanted.get(orientation, "top")]
    red, _, blue = after.convert("RGB").getpixel(place)  # type: ignore[misc]
    assert blue > red


def test_metadata_is_dropped(convert: Convert) -> None:
    exif = Image.Exif()
    exif[0x010E] = "MARKER"
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "MARKER")
    notes.add_itxt("XML:com.adobe.xmp", "<x>MARKER</x>")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    files = [
        saved(drawing(), "JPEG", exif=exif, comment="MARKER", icc_profile=profile),
        saved(drawing(), "PNG", exif=exif, pnginfo=notes, icc_profile=profile),
        saved(drawing(), "WEBP", exif=exif, xmp=b"MARKER", icc_profile=profile),
        saved(drawing(), "GIF", comment="MARKER"),
        moving("GIF", comment="MARKER"),
    ]
    for data in files:
        after = convert(data).data
        assert b"MARKER" in data
        assert not any(each in after for each in (b"MARKER", b"EXIF", b"XMP ", b"ICCP"))


def test_colours_are_brought_into_srgb_before_the_profile_is_dropped(convert: Convert) -> None:
    grey = Image.new("RGB", (20, 20), (120, 120, 120))
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    plain = opened(convert(saved(grey)).data).convert("RGB").getpixel((9, 9))
    broken = opened(convert(saved(grey, icc_profile=b"no profile")).data).convert("RGB")
    assert near(plain, (120, 120, 120), 3)  # type: ignore[arg-type]
    assert near(broken.getpixel((9, 9)), (120, 120, 120), 3)  # type: ignore[arg-type]
    other = opened(convert(saved(grey, icc_profile=_darker())).data).convert("RGB")
    assert not near(other.getpixel((9, 9)), (120, 120, 120), 10)  # type: ignore[arg-type]
    assert profile


def _darker() -> bytes:
    """The profile of sRGB with a gamma of 4 in place of its curves."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for index in range(struct.unpack(">I", data[128:132])[0]):
        name, at, length = struct.unpack(">4sII", data[132 + 12 * index : 144 + 12 * index])
        if name in (b"rTRC", b"gTRC", b"bTRC"):
            curve = b"curv" + bytes(4) + struct.pack(">IH", 1, 4 << 8)
            data[at : at + length] = curve.ljust(length, b"\0")
    return bytes(data)


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_an_animation_stays_one(convert: Convert, form: str) -> None:
    after = opened(convert(moving(form, 4, duration=[50, 100, 150, 200])).data)
    durations = []
    for index in range(4):
        after.seek(index)
        after.load()
        durations.append(after.info["duration"])
    assert (after.n_frames, durations, after.info["loop"]) == (4, [50, 100, 150, 200], 0)  # type: ignore[attr-defined]


def test_c57_a_gif_with_a_palette_and_a_background_stays_an_animation(convert: Convert) -> None:
    one, two = (drawing(30, 20, mode="P") for _ in range(2))
    two.paste(one.getpixel((1, 19)), (0, 0, 9, 9))  # type: ignore[arg-type,unused-ignore]
    clear = one.getpixel((29, 1))
    options = {"background": clear, "transparency": clear, "disposal": 2, "duration": 100}
    data = saved(one, "GIF", save_all=True, append_images=[two], **options)
    assert opened(data).mode == "P"
    assert "background" in opened(data).info
    after = opened(convert(data).data)
    assert (after.format, after.n_frames, after.size) == ("WEBP", 2, (30, 20))  # type: ignore[attr-defined]


@pytest.mark.parametrize(("options", "plays"), [({"loop": None}, 1), ({"loop": 2}, 3), ({}, 0)])
def test_a_gif_is_shown_as_often_as_before(
    convert: Convert, options: dict[str, Any], plays: int
) -> None:
    assert opened(convert(moving("GIF", **options)).data).info["loop"] == plays


def test_the_picture_for_those_who_show_no_animation_is_no_frame_of_it(convert: Convert) -> None:
    still = Image.new("RGB", (30, 20), "red")
    others = [Image.new("RGB", (30, 20), colour) for colour in ("blue", "green")]
    data = saved(still, save_all=True, append_images=others, default_image=True)
    after = opened(convert(data).data)
    assert after.n_frames == 2  # type: ignore[attr-defined]
    assert near(after.convert("RGB").getpixel((9, 9)), (0, 0, 255))  # type: ignore[arg-type]


def test_the_preview_in_a_jpeg_file_is_no_second_frame(convert: Convert) -> None:
    data = saved(drawing(), "MPO", save_all=True, append_images=[drawing(20, 10)])
    assert opened(data).format == "MPO"
    after = opened(convert(data).data)
    assert (after.size, getattr(after, "n_frames", 1)) == ((40, 20), 1)
    assert convert(data, keep=True).media_type == "image/jpeg"


def test_a_side_longer_than_webp_allows_is_scaled_down(convert: Convert) -> None:
    found = convert(saved(Image.new("RGB", (20_000, 100), "red")))
    assert (found.width, found.height) == opened(found.data).size == (16_383, 82)
    thin = convert(png(40_000, 1, flat(120_001)))
    assert (thin.width, thin.height) == (16_383, 1)


def test_a_drawing_is_kept_sharp_and_small(convert: Convert) -> None:
    picture = drawing(400, 200)
    after = opened(convert(saved(picture)).data).convert("RGB")
    assert after.tobytes() == picture.tobytes()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_what_is_kept_is_kept_byte_for_byte(convert: Convert, form: str) -> None:
    data = saved(drawing(), form)
    found = convert(data, keep=True)
    assert (found.data, found.media_type) == (data, f"image/{form.lower()}")
    assert (found.width, found.height) == (40, 20)


@pytest.mark.parametrize(
    "data",
    [saved(noise(50, 40)), moving("GIF"), saved(drawing(mode="RGBA"))],
    ids=["noise", "moving", "drawing"],
)
def test_the_same_image_gives_the_same_bytes_and_converted_again_stays_as_it_is(
    convert: Convert, data: bytes
) -> None:
    first = convert(data)
    assert convert(data) == first
    assert convert(first.data) == first


def test_a_webp_file_with_anything_more_in_it_is_converted(convert: Convert) -> None:
    bare = convert(saved(noise(50, 40), "JPEG")).data
    longer = bare + b"MARKER12"
    chunk = b"note" + struct.pack("<I", 6) + b"MARKER"
    within = b"RIFF" + struct.pack("<I", len(bare) - 8 + len(chunk)) + bare[8:] + chunk
    for data in (longer, within):
        assert b"MARKER" not in convert(data).data


BAD = {
    "nothing": b"",
    "text": b"no image at all",
    "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "EPS": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
    "BMP": saved(drawing(), "BMP"),
    "TIFF": saved(drawing(), "TIFF"),
    "ICO": saved(drawing(), "ICO"),
    "a PNG without pixels": png(10, 10, b""),
    "the beginning of a PNG": saved(noise(50, 40))[:2000],
    "the beginning of a JPEG": saved(noise(50, 40), "JPEG")[:900],
    "the beginning of a GIF": saved(noise(50, 40), "GIF")[:900],
    "the beginning of a WebP": saved(noise(50, 40), "WEBP")[:900],
    "a signature": b"\x89PNG\r\n\x1a\n",
    "a WebP of nothing": b"RIFF\0\0\0\0WEBPVP8 " + bytes(40),
    "a changed PNG": saved(drawing()).replace(b"IDAT", b"IDAX"),
}


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_whole_image_of_the_four_kinds_is_refused(
    convert: Convert, name: str, keep: bool
) -> None:
    with pytest.raises(Unusable) as raised:
        convert(BAD[name], keep=keep)
    assert raised.value.failure is Failure.BAD_IMAGE


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (png(6001, 4000, flat(10)), Failure.TOO_MANY_PIXELS),
        (moving("GIF", 101), Failure.TOO_MANY_FRAMES),
        (moving("PNG", 101), Failure.TOO_MANY_FRAMES),
        (moving("WEBP", 101), Failure.TOO_MANY_FRAMES),
        (moving("PNG", 13, (2000, 2000)), Failure.TOO_MANY_FRAMES),
    ],
    ids=["pixels", "GIF", "PNG", "WebP", "in all"],
)
def test_too_many_pixels_or_frames_are_refused(
    convert: Convert, data: bytes, failure: Failure
) -> None:
    for keep in (False, True):
        with pytest.raises(Unusable) as raised:
            convert(data, keep=keep)
        assert raised.value.failure is failure


def test_a_hundred_frames_and_24_megapixels_are_taken(convert: Convert) -> None:
    assert opened(convert(moving("GIF", 100)).data).n_frames == 100  # type: ignore[attr-defined]
    large = convert(saved(Image.linear_gradient("L").resize((6000, 4000)), "JPEG"))
    assert Image.open(io.BytesIO(large.data)).size == (6000, 4000)
