"""Folders in memory: what changes in them, what they were before, and how they are written."""

import zlib
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.archive import deflated
from postroom.archive.deflated import Deflated
from postroom.archive.delta import Stretch, delta
from postroom.archive.tree import Entry, Folder

NAMES = st.from_regex(rb"[a-z]{1,3}", fullmatch=True)
IDS = st.binary(min_size=20, max_size=20)


def set_all(folder: Folder, rows: Sequence[tuple[bytes, bytes]]) -> None:
    for name, id in rows:
        folder.set(Entry(b"100644", name, id))


@given(st.lists(st.tuples(NAMES, IDS)), st.lists(st.tuples(NAMES, IDS), min_size=1))
def test_a_folder_as_it_was_is_made_of_what_it_is(
    first: list[tuple[bytes, bytes]], later: list[tuple[bytes, bytes]]
) -> None:
    made = Folder(b"")
    set_all(made, first)
    old = bytes(made.raw)
    folder = Folder(old, b"x" * 20)
    set_all(folder, later)
    if bytes(folder.raw) != old:
        assert applied(bytes(folder.raw), delta(len(folder.raw), folder.earlier())) == old


def test_what_comes_last_leaves_one_stretch() -> None:
    folder = Folder(b"100644 b\0" + b"1" * 20)
    set_all(folder, [(b"d", b"2" * 20), (b"c", b"3" * 20)])
    assert folder.earlier() == [Stretch(0, 29)]


def test_a_row_that_stands_there_already_is_no_change() -> None:
    folder = Folder(b"")
    row = Entry(b"100644", b"a", b"1" * 20)
    assert folder.set(row)
    assert not folder.set(row)
    assert folder.set(row._replace(id=b"2" * 20))
    assert folder.find(b"a") == b"2" * 20


def test_long_stretches_and_long_pieces_are_told_in_parts() -> None:
    old = bytes(0x1000001)
    pieces: list[Stretch | bytes] = [Stretch(0, len(old)), b"y" * 300, Stretch(7, 7)]
    assert applied(old, delta(len(old), pieces)) == old + b"y" * 300


def applied(old: bytes, changes: bytes) -> bytes:
    """Apply a difference, told independently of how it is made."""
    at, sizes = 0, []
    for _ in range(2):
        size = shift = 0
        while True:
            byte = changes[at]
            size |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not byte & 0x80:
                break
        sizes.append(size)
    out = b""
    while at < len(changes):
        command = changes[at]
        at += 1
        if command & 0x80:
            numbers = bytearray(7)
            for number in range(7):
                if command >> number & 1:
                    numbers[number] = changes[at]
                    at += 1
            start = int.from_bytes(numbers[:4], "little")
            size = int.from_bytes(numbers[4:], "little") or 0x10000
            out += old[start : start + size]
        else:
            out += changes[at : at + command]
            at += command
    assert sizes == [len(old), len(out)]
    return out


def stream(kept: Deflated, text: bytearray) -> bytes:
    return b"".join(map(bytes, kept.parts(text)))


TEXTS = st.binary(max_size=40)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), TEXTS)))
def test_a_changing_text_is_read_back_from_every_stream(
    first: bytes, changes: list[tuple[int, bytes]]
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        # So that a few bytes are many blocks.
        patched.setattr(deflated, "_BLOCK_BYTES", 8)
        patched.setattr(deflated, "_MOST_AT_ONCE", 2)
        patched.setattr(deflated, "_LONGEST_STORED", 20)
        kept, text = Deflated(), bytearray(first)
        assert zlib.decompress(stream(kept, text)) == text
        for at, new in changes:
            start = min(at, len(text))
            kept.change(start)
            text[start:start] = new
            assert zlib.decompress(stream(kept, text)) == text


def test_m31_what_stays_is_compressed_once_and_a_little_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compressed = []
    real = zlib.compressobj

    def noted(level: int, method: int, bits: int) -> object:
        compressed.append(bits)
        return real(level, method, bits)

    monkeypatch.setattr(zlib, "compressobj", noted)
    kept, text = Deflated(), bytearray(b"0123456789abcdef" * 1024 * 20)
    sizes, blocks = [], []
    for _ in range(6):
        sizes.append(len(stream(kept, text)))
        blocks.append(len(compressed))
    # What is read for the first time is stored; then eight blocks of 16 KB each time.
    assert blocks == [0, 8, 16, 20, 20, 20]
    assert all(later < sooner for sooner, later in pairwise(sizes[:4]))
    kept.change(len(text))
    text += b"x" * 100
    stream(kept, text)
    assert len(compressed) == 20
