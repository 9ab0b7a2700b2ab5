"""What an archive tells of a project, gathered so that it can be stored again."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TypeVar

from postroom.archive import filed_mail, letter, paths, profile
from postroom.archive.facts import Reader
from postroom.archive.filed_mail import FiledMail
from postroom.archive.frontmatter import Unreadable, read
from postroom.archive.git import ArchiveFailure
from postroom.archive.letter import Copy, Letter
from postroom.archive.packfile import ObjectId
from postroom.archive.profile import FiledProject, Profile
from postroom.archive.reading import Listed, Snapshot
from postroom.attachment import Attachment
from postroom.mail import ID_PREFIX as MAIL_PREFIX

T = TypeVar("T")
# Which part of an agent's path is its inbox or outbox.
_BOX = 2


@dataclass(slots=True)
class Filed:
    """Where the files of one message or mail are: its own, the sender's, the recipients'."""

    canonical: ObjectId | None = None
    outbox: ObjectId | None = None
    inboxes: list[ObjectId] = field(default_factory=list)

    def best(self) -> Iterator[ObjectId]:
        """The files, from the one that tells most on."""
        # The sender's copy alone names all hidden recipients.
        yield from (id for id in (self.outbox, self.canonical) if id)
        yield from self.inboxes


@dataclass(frozen=True, slots=True)
class Whole:
    """A message from all its files: what was written, who is hidden, and the copies by name."""

    letter: Letter
    bcc: tuple[str, ...]
    copies: dict[str, Copy]
    agent_ids: dict[str, str]


class Archived:
    """The files of one project, by what they tell of. What cannot be read is put in `lost`."""

    def __init__(self, project_id: str, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.project = FiledProject(id=project_id, key="", created_at=0)
        self.profiles: dict[str, Profile] = {}
        self.attachments: dict[str, ObjectId] = {}
        self.messages: dict[str, Filed] = {}
        self.mails: dict[str, Filed] = {}
        self.lost: list[str] = []
        for file in snapshot.files():
            self._sort(file)

    def in_order(self, pieces: Mapping[str, Filed]) -> list[str]:
        """The ids of messages or mails, in the order in which they were sent."""
        return [id for _, id in sorted((self._sent_at(filed), id) for id, filed in pieces.items())]

    def attached(self, attachment: Attachment) -> bytes | None:
        """The content of an attachment; None when it is not there as it was."""
        id = self.attachments.get(paths.attachment(attachment.sha256, attachment.media_type))
        content = self._first([id], bytes) if id else None
        is_it = content is not None and sha256(content).hexdigest() == attachment.sha256
        return content if is_it else None

    def whole(self, id: str) -> Whole | None:
        """A message; None, and in `lost`, when none of its files can be read."""
        filed = self.messages[id]
        found = self._first(filed.best(), letter.read)
        if found is None:
            self.lost.append(f"the message {id}: none of its files can be read")
            return None
        copies, ids, hidden = {}, dict(found.agent_ids), list(found.bcc)
        for each in filed.inboxes:
            one = self._first([each], letter.read)
            if one and one.copy:
                copies[one.copy.mailbox] = one.copy
                ids |= one.agent_ids
                hidden += one.bcc
        return Whole(found, tuple(dict.fromkeys(hidden)), copies, ids)

    def mail(self, id: str) -> FiledMail | None:
        """A piece of plain mail; None, and in `lost`, when it cannot be read."""
        found = self._first(self.mails[id].best(), filed_mail.read)
        if found is None:
            self.lost.append(f"the mail {id}: none of its files can be read")
        return found

    def _first(self, ids: Iterable[ObjectId], parse: Callable[[bytes], T]) -> T | None:
        for id in ids:
            try:
                return parse(self._snapshot.content(id))
            except (ArchiveFailure, Unreadable):
                continue
        return None

    def _sent_at(self, filed: Filed) -> int:
        return self._first(filed.best(), _created_at) or 0

    def _sort(self, file: Listed) -> None:
        path = PurePosixPath(file.path)
        top = path.parts[0]
        if file.path == paths.PROJECT:
            self.project = self._first([file.id], profile.read_project) or self.project
        elif top == paths.PROFILES:
            self._profile(file)
        elif top == paths.ATTACHMENTS:
            self.attachments[file.path] = file.id
        elif _is_piece(path):
            self._piece(path, file.id)
        else:
            self.lost.append(f"{file.path}: no file of the post room")

    def _profile(self, file: Listed) -> None:
        found = self._first([file.id], profile.read_agent)
        if found is None:
            self.lost.append(f"{file.path}: it cannot be read")
        else:
            self.profiles[found.id] = found

    def _piece(self, path: PurePosixPath, id: ObjectId) -> None:
        group = self.mails if path.stem.startswith(MAIL_PREFIX) else self.messages
        filed = group.setdefault(path.stem, Filed())
        if path.parts[0] != paths.AGENTS:
            filed.canonical = id
        elif path.parts[_BOX] == paths.OUTBOX:
            filed.outbox = id
        else:
            filed.inboxes.append(id)


def _is_piece(path: PurePosixPath) -> bool:
    """Whether a file stands where messages and mail stand, and is named by an id."""
    top, boxes = path.parts[0], (paths.INBOX, paths.OUTBOX)
    is_boxed = top == paths.AGENTS and len(path.parts) > _BOX and path.parts[_BOX] in boxes
    return (is_boxed or top in (paths.MESSAGES, paths.PIECES)) and paths.is_id(path.stem)


def _created_at(content: bytes) -> int:
    return Reader(read(content)[0]).instant("created_at")
