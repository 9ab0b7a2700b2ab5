"""Responses with lists of messages as JSON, printed from their wire form.

What a list holds seldom changes from one page to the next: a stored mail is the same
bytes each time. So the text of each message is kept under its bytes, and a page that
was shown before is only put together.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from postroom.rpc.protojson.frames import cutting
from postroom.rpc.protojson.known_out import PRINTS
from postroom.rpc.protojson.printer import Printer

Page = Callable[[bytes], bytes]

MOST_BYTES: Final = 32 * 1024 * 1024
# What one entry takes beside its bytes and its text: two objects and a slot of the table.
_ENTRY_BYTES: Final = 200
# A longer message would push many others out.
_LONGEST: Final = 64 * 1024
# In the place of a list while the rest is printed; JSON text never holds it.
_MARK: Final = "\0"


class Kept:
    """Texts of messages by type and wire form, in at most so many bytes.

    In two halves. What is asked for again moves to the younger one; when that is full,
    the older one is dropped. So what was asked for within the last half is there.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._half = most_bytes // 2
        self._size = 0
        self._young: dict[Descriptor, dict[bytes, bytes]] = {}
        self._old: dict[Descriptor, dict[bytes, bytes]] = {}

    def texts(self, of: Descriptor, wires: Sequence[bytes], make: Page) -> list[bytes]:
        """The text of each message; `make` prints those that are not kept."""
        found = list(map(self._young.setdefault(of, {}).get, wires))
        if None not in found:
            return cast("list[bytes]", found)
        return [text or self._text(of, wire, make) for text, wire in zip(found, wires, strict=True)]

    def _text(self, of: Descriptor, wire: bytes, make: Page) -> bytes:
        text = self._old.get(of, {}).get(wire) or make(wire)
        size = len(wire) + len(text) + _ENTRY_BYTES
        if size > _LONGEST:
            return text
        if self._size + size > self._half:
            self._old, self._young, self._size = self._young, {}, 0
        young = self._young.setdefault(of, {})
        if wire not in young:
            self._size += size
            young[wire] = text
        return text


class Pages:
    """Makes, for one printer, the functions that print pages."""

    def __init__(self, printer: Printer, kept: Kept | None = None) -> None:
        self._printer = printer
        self._kept = kept or Kept()

    def of(self, descriptor: Descriptor) -> Page | None:
        """How to print a type from its wire form, None for one without lists of messages.

        The function returns what the printer's `text` would, in UTF-8. Raises
        Unprintable, and DecodeError for what is no message of the type.
        """
        lists = [field for field in descriptor.fields if _is_list(field)]
        if not lists or descriptor.full_name in PRINTS:
            return None
        around = self._printer.around(descriptor, dict.fromkeys(lists, _MARK))
        cut = cutting(lists)
        kinds = [self._kind(field) for field in lists]
        parse: Any = GetMessageClass(descriptor).FromString

        def printed(wire: bytes) -> bytes:
            rest, held = cut(wire)
            first, *others = around(parse(rest)).encode().split(b"\0")
            parts = [first]
            for (kind, make), wires, after in zip(kinds, held, others, strict=True):
                texts = self._kept.texts(kind, wires, make) if wires else ()
                parts += (b"[", b",".join(texts), b"]", after)
            return b"".join(parts)

        return printed

    def _kind(self, field: FieldDescriptor) -> tuple[Descriptor, Page]:
        kind: Any = field.message_type
        parse: Any = GetMessageClass(kind).FromString
        return kind, lambda wire: self._printer.text(parse(wire)).encode()


def _is_list(field: FieldDescriptor) -> bool:
    message = field.message_type
    if message is None or not field.is_repeated or field.type != FieldDescriptor.TYPE_MESSAGE:
        return False
    return not message.GetOptions().map_entry
