"""Everything together: real files, a real worker."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.attaching.collect import Attacher
from postroom.attachment import Mode
from tests.attaching.pictures import drawing, noise, opened, saved
from tests.attaching.preparing import Bench, uri

LOADED = """
import sys
from postroom.attaching.collect import Attacher
from postroom.enclosure import needs_work
assert not needs_work("text with [a](link) and `code`!", [], [])
attacher = Attacher()
print(sorted({"PIL", "markdown_it", "grpc", "peewee"} & set(sys.modules)))
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    attacher = Attacher()
    yield Bench(tmp_path, attacher)
    asyncio.run(attacher.close())


def test_a_message_with_pictures_of_every_source(bench: Bench) -> None:
    bench.file("docs/flow.png", saved(drawing(200, 100)))
    bench.file("docs/photo.jpg", saved(noise(400, 300), "JPEG", quality=95))
    bench.file("docs/notes.txt", b"no picture")
    body = "![flow](docs/flow.png)\n![photo][p] ![notes](docs/notes.txt)\n\n[p]: docs/photo.jpg"
    found = bench.prepare(
        f"{body}\n\n![d]({uri(saved(drawing()))})",
        given=[("a.gif", saved(drawing(), "GIF"))],
        paths=["docs/photo.jpg"],
    )
    assert [(one.name, one.mode) for one in found.attachments] == [
        ("a.gif", Mode.FILE),
        ("photo.jpg", Mode.FILE),
        ("flow.png", Mode.INLINE),
        ("photo.jpg", Mode.FILE),
        ("notes.txt", Mode.FAILED),
        ("d", Mode.INLINE),
    ]
    assert "docs/flow.png" not in found.body_md
    assert "docs/notes.txt" in found.body_md
    assert found.body_md.count(f"[p]: {found.attachments[1].path}") == 1
    sizes = {opened(file.data).size for file in found.files}
    assert sizes == {(40, 20), (200, 100), (400, 300)}
    assert len(found.files) == len({file.sha256 for file in found.files})


def test_a_message_that_is_sent_on_keeps_its_pictures_byte_for_byte(bench: Bench) -> None:
    bench.file("photo.jpg", saved(noise(60, 40), "JPEG"))
    first = bench.prepare("![photo](photo.jpg)")
    again = bench.prepare(f"> {first.body_md}")
    assert again.body_md == f"> {first.body_md}"
    assert again.files == first.files


def test_neither_pillow_nor_the_parser_is_loaded_for_a_message_without_images() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
