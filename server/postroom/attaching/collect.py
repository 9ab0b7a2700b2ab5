"""The images of a message: from what the caller sent to what is stored and shown.

An image that was attached on purpose and cannot be used refuses the call. One that the
body refers to is then left as it is written, and reported.
"""

from collections.abc import Awaitable, Sequence
from pathlib import Path

from postroom.attaching import bounds
from postroom.attaching.body import Body, Illustrator
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.intake import Intake, Taken
from postroom.attaching.names import display_name
from postroom.attaching.paths import Roots
from postroom.attaching.pool import Workers
from postroom.attaching.wording import refusal
from postroom.attachment import MOST_ATTACHMENTS, Mode, StoredFile
from postroom.enclosure import Enclosed, Wanted, needs_work


class Attacher:
    """Prepares the images of messages, for one server.

    `roots` are the folders below which absolute paths may lead; nothing below `hidden`,
    such as the data folder, is read by such a path. `seconds` bounds one image.
    """

    def __init__(
        self,
        roots: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        *,
        workers: int = bounds.WORKERS,
        seconds: float = bounds.SECONDS,
    ) -> None:
        self._roots = Roots(roots, hidden)
        self._workers = Workers(workers, seconds)

    async def prepare(self, wanted: Wanted) -> Enclosed:
        """Check, convert and place all images of a message.

        Raises a refusal that names the field. The same images give the same result.
        """
        if not needs_work(wanted.body_md, wanted.given, wanted.paths):
            return Enclosed(body_md=wanted.body_md)
        _check_count(wanted)
        intake = Intake(
            self._workers,
            self._roots,
            files=wanted.files,
            stored=wanted.stored,
            keep=not wanted.converts,
        )
        beside = await _beside(intake, wanted)
        body = await _body(intake, wanted, MOST_ATTACHMENTS - len(beside))
        listed = [one.attachment(name, mode) for name, mode, one in beside]
        taken = [*(one for _, _, one in beside), *body.used]
        return Enclosed(
            body_md=body.text,
            attachments=(*listed, *body.attachments),
            files=_new(taken),
            again=frozenset(one.file.sha256 for one in taken if not one.is_new),
        )

    async def close(self) -> None:
        """End the workers; calls that wait for one are refused."""
        await self._workers.close()


def _check_count(wanted: Wanted) -> None:
    for field, many in (("attachments", wanted.given), ("attachment_paths", wanted.paths)):
        if len(many) > MOST_ATTACHMENTS:
            raise refusal(field, Unusable(Failure.TOO_MANY))
    if len(wanted.given) + len(wanted.paths) > MOST_ATTACHMENTS:
        raise refusal("attachment_paths", Unusable(Failure.TOO_MANY))


async def _beside(intake: Intake, wanted: Wanted) -> list[tuple[str, Mode, Taken]]:
    found = []
    for index, (name, data) in enumerate(wanted.given):
        taken = await _or_refuse(f"attachments[{index}].data", intake.data(data))
        found.append((name, taken))
    for index, path in enumerate(wanted.paths):
        taken = await _or_refuse(f"attachment_paths[{index}]", intake.path(path))
        found.append((path, taken))
    return [(display_name(name), _mode(taken, wanted), taken) for name, taken in found]


def _mode(taken: Taken, wanted: Wanted) -> Mode:
    return taken.beside if wanted.converts or not taken.is_new else Mode.KEPT


async def _or_refuse(field: str, taking: Awaitable[Taken]) -> Taken:
    try:
        return await taking
    except Unusable as unusable:
        raise refusal(field, unusable) from None


async def _body(intake: Intake, wanted: Wanted, most: int) -> Body:
    if not needs_work(wanted.body_md, (), ()):
        return Body(wanted.body_md)
    illustrator = Illustrator(intake, converts=wanted.converts, policy=wanted.policy, most=most)
    return await illustrator.illustrated(wanted.body_md)


def _new(taken: Sequence[Taken]) -> tuple[StoredFile, ...]:
    return tuple({one.file.sha256: one.file for one in taken if one.is_new}.values())
