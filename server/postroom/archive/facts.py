"""Typed values out of front matter. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from postroom.archive.frontmatter import Facts, Record, Unreadable
from postroom.attachment import Attachment, Mode
from postroom.errors import InvalidRequest
from postroom.instant import instant_of

_ATTACHMENT = tuple(each.name for each in fields(Attachment))


class Reader:
    """Takes facts by name. Raises Unreadable for one that is missing or of another kind."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def has(self, name: str) -> bool:
        """Whether the fact is there."""
        return name in self._facts

    def text(self, name: str) -> str:
        """A text."""
        value = self._facts.get(name)
        if not isinstance(value, str):
            raise Unreadable(f"{name} is no text")
        return value

    def optional(self, name: str) -> str | None:
        """A text, or none."""
        return None if self._facts.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        """A yes or a no."""
        value = self._facts.get(name)
        if not isinstance(value, bool):
            raise Unreadable(f"{name} is neither true nor false")
        return value

    def instant(self, name: str) -> int:
        """Microseconds since the epoch."""
        try:
            return instant_of(self.text(name), name)
        except (InvalidRequest, OverflowError):
            raise Unreadable(f"{name} is no time") from None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty when the fact is missing."""
        value = self._facts.get(name, ())
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Unreadable(f"{name} is no list")
        found = tuple(each for each in value if isinstance(each, str))
        if len(found) != len(value):
            raise Unreadable(f"{name} holds something else than texts")
        return found

    def record(self, name: str) -> Mapping[str, str]:
        """Texts by name."""
        value = self._facts.get(name)
        if not isinstance(value, Mapping):
            raise Unreadable(f"{name} is no record")
        return {key: each for key, each in value.items() if isinstance(each, str)}

    def attachments(self) -> tuple[Attachment, ...]:
        """What a message says of its attachments."""
        value = self._facts.get("attachments")
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise Unreadable("attachments is no list")
        return tuple(_attachment(each) for each in value)


def of_attachment(attachment: Attachment) -> Record:
    """The facts of one attachment."""
    given = {name: getattr(attachment, name) for name in _ATTACHMENT}
    return given | {"mode": str(attachment.mode)}


def _attachment(record: object) -> Attachment:
    if not isinstance(record, Mapping) or set(record) != set(_ATTACHMENT):
        raise Unreadable("an attachment has other facts than it should")
    kinds = {name: int if name in ("bytes", "width", "height") else str for name in _ATTACHMENT}
    if any(not isinstance(record[name], kind) for name, kind in kinds.items()):
        raise Unreadable("an attachment has a fact of another kind")
    try:
        return Attachment(**{**record, "mode": Mode(record["mode"])})
    except ValueError:
        raise Unreadable("an attachment has an unknown mode") from None
