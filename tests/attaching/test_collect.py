from pathlib import Path

import pytest

from postroom.attaching.failures import Failure
from postroom.attachment import AttachmentsPolicy, Mode, path_of
from postroom.errors import Code
from tests.attaching.preparing import Bench, uri
from tests.attaching.scripted import bad, picture, stored

SMALL, LARGE = 32 * 1024, 32 * 1024 + 1
FILE, INLINE = AttachmentsPolicy.FILE, AttachmentsPolicy.INLINE
MIB = 1024 * 1024


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def modes(bench: Bench, body: str = "", **wanted: object) -> list[Mode]:
    return [one.mode for one in bench.prepare(body, **wanted).attachments]


def test_a_message_without_images_is_left_as_it_is(bench: Bench) -> None:
    found = bench.prepare("Text [with](a.png) no image!")
    assert (found.body_md, found.attachments, found.files) == (
        "Text [with](a.png) no image!",
        (),
        (),
    )


@pytest.mark.parametrize(
    ("size", "policy", "mode"),
    [
        (SMALL, AttachmentsPolicy.AUTO, Mode.INLINE),
        (LARGE, AttachmentsPolicy.AUTO, Mode.FILE),
        (SMALL, INLINE, Mode.INLINE),
        (LARGE, INLINE, Mode.FILE),
        (SMALL, FILE, Mode.FILE),
    ],
)
@pytest.mark.parametrize("as_data", [False, True])
def test_a_picture_goes_into_the_body_when_it_is_small_and_the_policy_allows(
    bench: Bench, size: int, policy: AttachmentsPolicy, mode: Mode, as_data: bool
) -> None:
    data = picture(size)
    named = uri(data) if as_data else bench.file("shots/a.png", data)
    found = bench.prepare(f"See ![flow]({named} 'title').", policy=policy)
    (attachment,), (file,) = found.attachments, found.files
    new = uri(file.data, "image/webp") if mode is Mode.INLINE else attachment.path
    assert found.body_md == f"See ![flow]({new} 'title')."
    assert attachment.mode is mode
    assert attachment.path == path_of(file.sha256)
    assert (attachment.sha256, attachment.bytes) == (file.sha256, size)
    assert attachment.name == ("flow" if as_data else "a.png")
    assert (attachment.media_type, attachment.width, attachment.height) == ("image/webp", 4, 3)


def test_pictures_beyond_the_length_of_a_body_go_beside_it(bench: Bench) -> None:
    names = [bench.file(f"{index}.png", picture(SMALL, str(index))) for index in range(8)]
    found = bench.prepare(" ".join(f"![]({name})" for name in names), policy=INLINE)
    assert [one.mode for one in found.attachments] == [Mode.INLINE] * 5 + [Mode.FILE] * 3
    assert 200 * 1024 < len(found.body_md.encode()) <= 256 * 1024
    assert len(found.files) == 8


def test_a_body_that_is_full_stays_as_it_is(bench: Bench) -> None:
    bench.file("a", picture())
    body = "![](a)" + "ä" * ((256 * 1024 - 6) // 2)
    found = bench.prepare(body)
    assert found.body_md == body
    assert found.files == ()
    (attachment,) = found.attachments
    assert attachment.mode is Mode.FAILED
    assert "256 KiB" in attachment.reason


def test_explicit_pictures_stand_beside_the_body_in_the_order_in_which_they_came(
    bench: Bench,
) -> None:
    bench.file("shots/b.png", picture(seed="b"))
    found = bench.prepare(
        "![c](c.png)", given=[("../x/a.jpg", picture(seed="a"))], paths=["shots/b.png"]
    )
    names = [(one.name, one.mode) for one in found.attachments]
    assert names == [("a.jpg", Mode.FILE), ("b.png", Mode.FILE), ("c.png", Mode.FAILED)]
    assert found.body_md == "![c](c.png)"


def test_the_same_content_is_converted_and_stored_once(bench: Bench) -> None:
    one, two = (bench.file(name, picture()) for name in ("a.png", "b.png"))
    body = f"![]({one}) ![]({two}) ![again]({one})"
    found = bench.prepare(body, given=[("c.png", picture())], policy=FILE)
    assert [one.name for one in found.attachments] == ["c.png", "a.png", "b.png"]
    assert len(found.files) == len(bench.workers.converted) == 1
    assert found.body_md.count(found.attachments[0].path) == 3
    assert bench.prepare(body, given=[("c.png", picture())], policy=FILE) == found


def test_without_conversion_the_originals_are_kept_and_data_stays_where_it_is(
    bench: Bench,
) -> None:
    one, two = picture(seed="one"), picture(seed="two")
    bench.file("a.png", one)
    body = f"![](a.png) ![]({uri(two)})"
    found = bench.prepare(body, given=[("c.png", one)], converts=False)
    assert [one.mode for one in found.attachments] == [Mode.KEPT] * 3
    assert [file.data for file in found.files] == [one, two]
    path = found.attachments[0].path
    assert path == path_of(found.files[0].sha256, "image/png")
    assert found.body_md == f"![]({path}) ![]({uri(two)})"


def test_an_attachment_of_an_earlier_message_is_used_again(bench: Bench) -> None:
    large, kept = stored(b"l" * LARGE), stored(b"p", "image/png")
    bench.before = {large.sha256: large, kept.sha256: kept}
    paths = [path_of(large.sha256), path_of(kept.sha256, "image/png")]
    body = " ".join(f"![]({path})" for path in paths)
    for converts in (True, False):
        # No path on the disk is read, so it holds for callers elsewhere, too.
        found = bench.prepare(body, paths=paths, files=None, converts=converts)
        assert [one.mode for one in found.attachments] == [Mode.FILE, Mode.KEPT] * 2
        assert [one.path for one in found.attachments] == paths * 2
        assert (found.body_md, found.files, bench.workers.converted) == (body, (), [])


def test_a_small_earlier_attachment_goes_into_the_body_like_any_other(bench: Bench) -> None:
    small = stored(b"s")
    bench.before = {small.sha256: small}
    found = bench.prepare(f"![]({path_of(small.sha256)})")
    assert found.body_md == f"![]({uri(b's', 'image/webp')})"
    assert (found.attachments[0].mode, found.files) == (Mode.INLINE, ())


def test_an_attachment_that_the_caller_may_not_see_is_like_a_file_that_is_not_there(
    bench: Bench,
) -> None:
    seen = stored(b"s")
    bench.before = {seen.sha256: seen}
    wrong = (path_of("0" * 64), path_of(seen.sha256, "image/png"), "nothing.png")
    texts = {bench.prepare(f"![]({path})").attachments[0].reason for path in wrong}
    refusals = {bench.refusal(paths=[path]).violations[0].description for path in wrong}
    assert texts == refusals
    assert len(texts) == 1


@pytest.mark.parametrize(
    "destination",
    ["http://x/a.png", "HTTPS://x/a.png", "//x/a.png", "cid:1", "file:///etc/passwd", "#a"],
)
def test_what_is_elsewhere_is_neither_fetched_nor_reported(bench: Bench, destination: str) -> None:
    found = bench.prepare(f"![]({destination})")
    assert (found.body_md, found.attachments) == (f"![]({destination})", ())


@pytest.mark.parametrize(
    ("destination", "words"),
    [
        ("../secret.png", "no file that may be attached"),
        ("C:/a.png", "no file that may be attached"),
        ("data:image/svg+xml;utf8,svg", "data URI"),
        ("data:image/png;base64,AAA", "data URI"),
        ("data:image/png;base64,AA%3D%3D", "data URI"),
        ("data:text/plain;base64,AAAA", "data URI"),
        (uri(bad()), "PNG, JPEG, GIF or WebP"),
        (uri(bad(Failure.TOO_MANY_PIXELS)), "24 megapixels"),
    ],
)
def test_a_picture_in_the_body_that_cannot_be_used_is_left_and_reported(
    bench: Bench, destination: str, words: str
) -> None:
    bench.file("good.png", picture())
    body = f"![](<{destination}>) ![](good.png)"
    found = bench.prepare(body, policy=FILE)
    failed, good = found.attachments
    assert (failed.mode, good.mode) == (Mode.FAILED, Mode.FILE)
    assert words in failed.reason
    assert (failed.path, failed.sha256, failed.bytes) == ("", "", 0)
    assert found.body_md == body.replace("good.png", good.path)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Failure.BAD_IMAGE, "BAD_IMAGE"),
        (Failure.TOO_MANY_PIXELS, "IMAGE_TOO_LARGE"),
        (Failure.TOO_MANY_FRAMES, "IMAGE_TOO_LARGE"),
        (Failure.TOO_BIG_WHEN_CONVERTED, "IMAGE_TOO_LARGE"),
        (Failure.TOO_COSTLY, "IMAGE_TOO_COSTLY"),
    ],
)
def test_an_explicit_picture_that_cannot_be_used_refuses_the_call(
    bench: Bench, failure: Failure, reason: str
) -> None:
    bench.file("bad.png", bad(failure))
    as_bytes = bench.refusal(given=[("a", picture()), ("b", bad(failure))])
    as_path = bench.refusal(paths=["bad.png"])
    assert {as_bytes.code, as_path.code} == {Code.INVALID_ARGUMENT}
    assert {as_bytes.reason, as_path.reason} == {reason}
    assert as_bytes.violations[0].field == "attachments[1].data"
    assert as_path.violations[0].field == "attachment_paths[0]"


@pytest.mark.parametrize("path", ["../a.png", "/etc/passwd", "", "data:image/png;base64,AAAA"])
def test_an_explicit_path_that_may_not_be_read_refuses_the_call(bench: Bench, path: str) -> None:
    refusal = bench.refusal(paths=[path])
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "ATTACHMENT_PATH")
    assert refusal.violations[0].description == bench.refusal(paths=["x"]).violations[0].description


def test_paths_of_a_caller_elsewhere_are_not_read(bench: Bench) -> None:
    bench.file("a.png", picture())
    refusal = bench.refusal(paths=["a.png"], files=None)
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "PATHS_DISABLED")
    assert refusal.violations[0].field == "attachment_paths[0]"
    (attachment,) = bench.prepare("![](a.png)", files=None).attachments
    assert attachment.mode is Mode.FAILED
    assert "on the server's machine" in attachment.reason
    assert modes(bench, f"![]({uri(picture())})", files=None) == [Mode.INLINE]
    assert modes(bench, given=[("a.png", picture())], files=None) == [Mode.FILE]


def test_a_message_carries_twenty(bench: Bench) -> None:
    many = [("a.png", picture(seed=str(index))) for index in range(21)]
    bench.file("a.png", picture())
    assert modes(bench, given=many[:20]) == [Mode.FILE] * 20
    assert bench.refusal(given=many).violations[0].field == "attachments"
    assert "left out" not in bench.refusal(given=many).message
    both = bench.refusal(given=many[:10], paths=["a.png"] * 11)
    assert both.violations[0].field == "attachment_paths"


def test_pictures_in_the_body_beyond_twenty_are_left_and_counted(bench: Bench) -> None:
    names = [bench.file(f"{index}.png", picture(seed=str(index))) for index in range(25)]
    found = bench.prepare(
        " ".join(f"![]({name})" for name in names), given=[("a", picture())], policy=FILE
    )
    assert [one.mode for one in found.attachments] == [Mode.FILE] * 20 + [Mode.FAILED]
    assert found.attachments[-1].name == "6 more"
    assert found.body_md.endswith(" ".join(f"![]({name})" for name in names[19:]))


def test_the_bytes_of_one_picture_and_of_all_are_bounded(bench: Bench) -> None:
    def of(size: int, seed: str) -> bytes:
        return picture(seed=seed).ljust(size)

    exact = [("a", of(8 * MIB, "a")), ("b", of(8 * MIB, "b")), ("c", of(4 * MIB, "c"))]
    bench.file("d.png", picture(seed="d"))
    bench.file("huge.png", of(8 * MIB + 1, "h"))
    assert modes(bench, "![](d.png)", given=exact) == [Mode.FILE] * 3 + [Mode.FAILED]
    over = bench.refusal(given=[*exact, ("d", picture())])
    assert (over.reason, over.violations[0].field) == ("IMAGE_TOO_LARGE", "attachments[3].data")
    one = bench.refusal(given=[("a", of(8 * MIB + 1, "a"))])
    assert (one.reason, one.violations[0].field) == ("IMAGE_TOO_LARGE", "attachments[0].data")
    assert bench.refusal(paths=["huge.png"]).reason == "ATTACHMENT_PATH"


def test_after_one_costly_picture_the_others_of_a_body_are_not_tried(bench: Bench) -> None:
    costly = [uri(bad(Failure.TOO_COSTLY) + f" {index}".encode()) for index in range(3)]
    found = bench.prepare(" ".join(f"![]({one})" for one in costly))
    assert [one.mode for one in found.attachments] == [Mode.FAILED] * 3
    assert len(bench.workers.converted) == 1


def test_a_body_that_cannot_be_searched_is_left_and_reported(bench: Bench) -> None:
    body = "![" * 100_000
    found = bench.prepare(body)
    assert found.body_md == body
    assert [one.mode for one in found.attachments] == [Mode.FAILED]


def test_a_picture_that_shares_its_definition_with_a_link_is_left_and_not_stored(
    bench: Bench,
) -> None:
    bench.file("a.png", picture())
    body = "[r] ![r]\n\n[r]: a.png"
    found = bench.prepare(body)
    assert (found.body_md, found.files) == (body, ())
    assert [one.mode for one in found.attachments] == [Mode.FAILED]
