"""The images of a message's body: taken, put into it or beside it, and reported."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from postroom.attaching.destinations import Kind, data_uri, kind_of
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.intake import Intake, Taken
from postroom.attaching.names import display_name
from postroom.attaching.wording import words
from postroom.attachment import (
    LARGEST_INLINE_BYTES,
    MEDIA_TYPE,
    Attachment,
    AttachmentsPolicy,
    Mode,
)
from postroom.message import LONGEST_BODY_BYTES

if TYPE_CHECKING:
    from postroom.attaching.references import Reference, References


@dataclass(slots=True)
class Body:
    """The text as it is stored, what is said of its images, and those that it uses."""

    text: str
    attachments: list[Attachment] = field(default_factory=list)
    used: list[Taken] = field(default_factory=list)


@dataclass(slots=True)
class _Use:
    """One destination: what it names, and what is to be written instead, if anything."""

    reference: "Reference"
    taken: Taken | None = None
    failure: Failure | None = None
    mode: Mode = Mode.FAILED
    new: str | None = None

    @property
    def attachment(self) -> Attachment:
        name = _name(self.reference)
        if self.failure is not None or self.taken is None:
            return _failed(name, self.failure or Failure.NO_PLACE)
        return self.taken.attachment(name, self.mode)


class Illustrator:
    """Deals with the images of one body, as the message wants them."""

    def __init__(
        self, intake: Intake, *, converts: bool, policy: AttachmentsPolicy, most: int
    ) -> None:
        self._intake, self._converts = intake, converts
        self._policy, self._most = policy, most

    async def illustrated(self, text: str) -> Body:
        """The body with its images; what cannot be used stays as it is written."""
        from postroom.attaching.markdown import TooTangled
        from postroom.attaching.references import References

        try:
            references = await asyncio.to_thread(References, text)
        except TooTangled:
            return Body(text, [_failed("body_md", Failure.TANGLED)])
        wanted = [one for one in references.found if _is_ours(one)]
        uses = [await self._use(one) for one in wanted[: self._most]]
        self._place(text, uses)
        body = Body(await asyncio.to_thread(_written, references, uses))
        body.attachments = [use.attachment for use in uses]
        body.used = [use.taken for use in uses if use.taken and use.failure is None]
        if more := len(wanted) - len(uses):
            body.attachments.append(_failed(f"{more} more", Failure.TOO_MANY))
        return body

    async def _use(self, reference: "Reference") -> _Use:
        if not reference.is_sure:
            return _Use(reference, failure=Failure.NO_PLACE)
        try:
            return _Use(reference, await self._intake.named(reference.destination))
        except Unusable as unusable:
            return _Use(reference, failure=unusable.failure)

    def _place(self, text: str, uses: Sequence[_Use]) -> None:
        """Choose for each image, in order, the first form for which there is room."""
        size = len(text.encode())
        for use in uses:
            if use.taken is None:
                continue
            for mode, new in self._forms(use.reference.destination, use.taken):
                growth = 0 if new is None else _growth(text, use.reference, new)
                if growth <= 0 or size + growth <= LONGEST_BODY_BYTES:
                    use.mode, use.new = mode, new
                    size += growth
                    break
            else:
                use.failure = Failure.BODY_FULL

    def _forms(self, destination: str, taken: Taken) -> Iterator[tuple[Mode, str | None]]:
        """How it may be carried and what is then written, None for what is there."""
        kind = kind_of(destination)
        if not self._converts and kind is Kind.DATA:
            yield Mode.KEPT, None
            return
        if self._converts and self._may_go_in(taken):
            yield Mode.INLINE, data_uri(taken.file.media_type, taken.file.data)
        as_kept = not self._converts and kind is Kind.PATH
        mode = Mode.KEPT if as_kept else taken.beside
        yield mode, None if kind is Kind.STORED else taken.path

    def _may_go_in(self, taken: Taken) -> bool:
        is_small = len(taken.file.data) <= LARGEST_INLINE_BYTES
        is_webp = taken.file.media_type == MEDIA_TYPE
        return is_small and is_webp and self._policy is not AttachmentsPolicy.FILE


def _is_ours(reference: "Reference") -> bool:
    return kind_of(reference.destination) is not Kind.ELSEWHERE


def _growth(text: str, reference: "Reference", new: str) -> int:
    written = sum(len(text[start:stop].encode()) for start, stop in reference.places)
    return len(new) * len(reference.places) - written


def _written(references: "References", uses: Sequence[_Use]) -> str:
    changes = {use.reference.destination: use.new for use in uses if use.new is not None}
    text, done = references.rewritten(changes)
    for use in uses:
        if use.new is not None and use.reference.destination not in done:
            use.failure = Failure.NO_PLACE
    return text


def _name(reference: "Reference") -> str:
    is_data = kind_of(reference.destination) is Kind.DATA
    return display_name(reference.description if is_data else reference.destination)


def _failed(name: str, failure: Failure) -> Attachment:
    return Attachment(name=name, mode=Mode.FAILED, reason=words(Unusable(failure)))
