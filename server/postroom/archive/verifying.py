"""Comparing a project's archive with the database, file by file, in both directions."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from postroom.archive import layout, paths, profile
from postroom.archive.comparing import IsImage, compared, faults_of_content
from postroom.archive.facts import Reader
from postroom.archive.filing import Lookup, Subject, Unwire
from postroom.archive.findings import Fault, Finding
from postroom.archive.frontmatter import Unreadable, read
from postroom.archive.git import ArchiveFailure
from postroom.archive.reading import Listed, Snapshot, is_there, reading
from postroom.attachment import Attachment
from postroom.message import Message, Part
from postroom.message_ports import OutboxEntry
from postroom.ports import Session, Store
from postroom.workflow import Workflow

_TOGETHER = 200
_PLAIN_FILE = b"100644"
_MISSING = (Fault.MISSING_CANONICAL, Fault.MISSING_COPY, Fault.ATTACHMENT_MISSING)

# Yields what is wrong and returns the content, None when there is none.
Taken = Generator[Finding, None, bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a look needs from outside; `now` is an instant."""

    unwire: Unwire
    is_image: IsImage
    now: int


@dataclass(slots=True)
class Verified:
    """What a look at one project brought."""

    findings: list[Finding] = field(default_factory=list)
    messages: int = 0
    files: int = 0


def verify(store: Store, folder: Path, project: Workflow, needs: Needs) -> Verified:
    """Compare one project. Raises StoreRefusal and ArchiveFailure.

    Messages may be sent and taken meanwhile: what seems to be missing is looked for once
    more in the end, first in the outbox and then in the archive.
    """
    if not is_there(folder):
        return Verified(list(_missing_archive(store, project)))
    with reading(folder) as snapshot:
        verifier = Verifier(store, snapshot, project, needs)
        found = list(verifier.findings())
    if any(finding.fault in _MISSING for finding in found):
        waiting = _waiting(store, project.id)
        with reading(folder) as newer:
            there = {file.path for file in newer.files()}
        found = [
            finding
            for finding in found
            if finding.fault not in _MISSING
            or not (finding.about in there or Path(finding.about).stem in waiting)
        ]
    return Verified(found, verifier.messages, verifier.files)


def _missing_archive(store: Store, project: Workflow) -> Iterator[Finding]:
    messages = {message.id for message in store.read(partial(_page, project.number, 0))}
    if messages - _waiting(store, project.id):
        yield Finding(Fault.MISSING_ARCHIVE, project.id)


class Verifier:
    """Looks at one project."""

    def __init__(self, store: Store, snapshot: Snapshot, project: Workflow, needs: Needs) -> None:
        self._store = store
        self._snapshot = snapshot
        self._project = project
        self._unwire = needs.unwire
        self._is_image = needs.is_image
        self._now = needs.now
        self._left: dict[str, Listed] = {}
        self._seen_attachments: set[str] = set()
        # How many messages and files were compared.
        self.messages = self.files = 0

    def findings(self) -> Iterator[Finding]:
        """Every fault. Raises StoreRefusal when the database cannot be read."""
        if self._snapshot.is_cut():
            yield Finding(Fault.HISTORY_CUT, "the branch was moved back")
        try:
            self._left = {file.path: file for file in self._snapshot.files()}
        except ArchiveFailure as failure:
            yield Finding(Fault.DAMAGED_OBJECT, f"a folder: {failure}")
            return
        self.files = len(self._left)
        for message in _messages(self._store, self._project.number):
            self.messages += 1
            yield from self._links(message)
            yield from self._message(message)
        for file in list(self._left.values()):
            yield from self._unaccounted(file)

    def _message(self, message: Message) -> Iterator[Finding]:
        hidden = {one.name for one in message.recipients} - set(_shown(message))
        for path, letter in layout.letters(message, self._project.id):
            content = yield from self._taken(path)
            if content is not None:
                yield from compared(path, content, letter, hidden)
        for path, attachment in layout.attached(message):
            if path not in self._seen_attachments:
                self._seen_attachments.add(path)
                yield from self._attachment(path, attachment)

    def _links(self, message: Message) -> Iterator[Finding]:
        if message.reply_to is None:
            return
        answered = self._store.read(lambda session: session.message(message.reply_to or ""))
        if answered is None:
            yield Finding(Fault.DANGLING_REPLY, message.id)
        elif answered.thread_id != message.thread_id:
            yield Finding(Fault.DANGLING_THREAD, message.id)

    def _attachment(self, path: str, attachment: Attachment) -> Iterator[Finding]:
        number, sha256 = self._project.number, attachment.sha256
        if self._store.read(lambda session: session.file(number, sha256)) is None:
            yield Finding(Fault.ATTACHMENT_NOT_STORED, path)
        content = yield from self._taken(path, Fault.ATTACHMENT_MISSING)
        if content is not None:
            yield from faults_of_content(path, content, attachment, self._is_image)

    def _taken(self, path: str, missing: Fault | None = None) -> Taken:
        """The content of a file that must be there; it is accounted for then."""
        file = self._left.pop(path, None)
        if file is None:
            is_canonical = path.startswith(f"{paths.MESSAGES}/")
            told = Fault.MISSING_CANONICAL if is_canonical else Fault.MISSING_COPY
            yield Finding(missing or told, path)
            return None
        if file.mode != _PLAIN_FILE:
            yield Finding(Fault.EXTRA_FILE, path)
            return None
        return (yield from self._content(file))

    def _content(self, file: Listed) -> Taken:
        try:
            return self._snapshot.content(file.id)
        except ArchiveFailure:
            yield Finding(Fault.DAMAGED_OBJECT, file.path)
            return None

    def _unaccounted(self, file: Listed) -> Iterator[Finding]:
        """A file that no message of the database makes."""
        if file.path not in self._left:
            return
        content = yield from self._content(file)
        if content is None:
            return
        try:
            fault = self._meaning(file, content, Reader(read(content)[0]))
        except Unreadable:
            fault = Fault.EXTRA_FILE
        if fault:
            yield Finding(fault, file.path)

    def _meaning(self, file: Listed, content: bytes, facts: Reader) -> Fault | None:
        """What a readable file tells of is there, or not, or not like this."""
        kind, id = facts.text("type"), facts.text("id")
        if file.mode != _PLAIN_FILE:
            return Fault.EXTRA_FILE
        if kind == "project":
            own = profile.of_project(self._project)
            return None if content == own else Fault.CHANGED_FRONT_MATTER
        if kind == "agent":
            agent = self._store.read(lambda session: session.agent(id))
            if agent is None:
                return Fault.MISSING_ROW
            is_its = file.path == paths.profile(agent.id) and facts.text("name") == agent.name
            return None if is_its else Fault.CHANGED_FRONT_MATTER
        if kind == "message":
            is_there = self._store.read(lambda session: session.message(id)) is not None
            return Fault.EXTRA_FILE if is_there else Fault.MISSING_ROW
        return self._mail(file, content, facts, id)

    def _mail(self, file: Listed, content: bytes, facts: Reader, id: str) -> Fault | None:
        entry = OutboxEntry(number=0, project_id=self._project.id, id=id)
        look_up = partial(_subject, self._unwire, self._project, entry)
        subject = self._store.read(look_up)
        if subject is None:
            # Expired mail is deleted from the database, and stays in the archive.
            return None if facts.instant("expires_at") <= self._now else Fault.MISSING_ROW
        expected = dict(subject.files())
        if file.path not in expected:
            return Fault.EXTRA_FILE
        return None if expected[file.path] == content else Fault.CHANGED_BODY


def _shown(message: Message) -> Iterator[str]:
    yield message.sender.name
    yield from message.names(Part.TO)
    yield from message.names(Part.CC)


def _subject(
    unwire: Unwire, project: Workflow, entry: OutboxEntry, session: Session
) -> Subject | None:
    return Lookup(session, unwire).one(project, entry)


def _waiting(store: Store, project_id: str) -> frozenset[str]:
    """The ids that the outbox has for a project."""
    found: set[str] = set()
    after = 0
    while entries := store.read(partial(_outbox, after)):
        after = entries[-1].number
        found.update(each.id for each in entries if each.project_id == project_id)
    return frozenset(found)


def _outbox(after: int, session: Session) -> Sequence[OutboxEntry]:
    return session.outbox(after=after, limit=_TOGETHER)


def _messages(store: Store, workflow: int) -> Iterator[Message]:
    after = 0
    while some := store.read(partial(_page, workflow, after)):
        after = some[-1].number
        yield from some


def _page(workflow: int, after: int, session: Session) -> Sequence[Message]:
    return session.messages_of(workflow, after=after, limit=_TOGETHER)
