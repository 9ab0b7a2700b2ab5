"""Taking what the outbox holds into the archive: one round over all of it."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from postroom.archive.commit import Note
from postroom.archive.filing import Found, Lookup, Subject, Unwire
from postroom.archive.git import ArchiveFailure
from postroom.archive.lock import Held
from postroom.archive.paths import NoPath
from postroom.archive.repository import Writing
from postroom.archive.shelf import Shelf
from postroom.attachment import StoredFile
from postroom.message_ports import OutboxEntry
from postroom.ports import Session, Store
from postroom.workflow import Workflow

log = logging.getLogger(__name__)

# Of one look into the outbox, and so of one commit. Writing the folders of a month with 50,000
# messages costs some 40 ms, so a backlog goes in commits that are large beside that.
_BATCH = 2000
_READ_TOGETHER = 50
# A commit's content is in memory until it is written.
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Round:
    """What became of the outbox: how many entries were taken, how many are left and why.

    `troubles` are by project; an entry may also be left because another server is at it.
    """

    taken: int = 0
    left: int = 0
    touched: set[str] = field(default_factory=set)
    troubles: dict[str, str] = field(default_factory=dict)


class Taker:
    """Takes entries, each project in commits of its own. Blocks; for one thread."""

    def __init__(self, store: Store, shelf: Shelf, unwire: Unwire) -> None:
        self._store = store
        self._shelf = shelf
        self._unwire = unwire
        self._is_stopping = False

    def stop(self) -> None:
        """End after the batch at hand; the rest is taken after the next start."""
        self._is_stopping = True

    def leave(self) -> None:
        """Let go of what the thread has opened that did the taking."""
        self._store.leave()

    def take_all(self) -> Round:
        """Take everything that can be taken. Raises StoreRefusal when the database fails.

        What a project has no room for, or may not write, waits; the others go on.
        """
        done, after = Round(), 0
        while not self._is_stopping and (entries := self._store.read(partial(_outbox, after))):
            after = entries[-1].number
            for project_id, those in _by_project(entries).items():
                taken = 0
                if project_id not in done.troubles:
                    taken = self._take(project_id, those, done)
                done.taken += taken
                done.left += len(those) - taken
        return done

    def _take(self, project_id: str, entries: Sequence[OutboxEntry], done: Round) -> int:
        project = self._store.read(lambda session: session.workflow(project_id))
        if project is None:
            log.warning("the outbox names a project that is not there: %s", project_id)
            return self._forget(entries)
        taking = _Taking(self._store, self._unwire, project)
        try:
            with self._shelf.repository(project_id).writing() as writing:
                taking.take(writing, entries)
        except Held:
            pass
        except (ArchiveFailure, NoPath) as failure:
            done.troubles[project_id] = str(failure)
        if taking.damaged:
            done.troubles[project_id] = "the database holds messages that are damaged"
        if taking.taken:
            done.touched.add(project_id)
        return taking.taken

    def _forget(self, entries: Sequence[OutboxEntry]) -> int:
        self._store.write(lambda session: session.taken([each.number for each in entries]))
        return len(entries)


class _Taking:
    """Entries of one project on their way into its repository."""

    def __init__(self, store: Store, unwire: Unwire, project: Workflow) -> None:
        self._store = store
        self._unwire = unwire
        self._project = project
        self._added: list[Subject] = []
        self.taken = 0
        self.damaged = 0

    def take(self, writing: Writing, entries: Sequence[OutboxEntry]) -> None:
        """Take the entries, in one commit unless they are very large."""
        for some in _chunks(entries):
            found = self._store.read(partial(self._look_up, some))
            self.damaged += len(found.damaged)
            if found.gone:
                log.warning("the outbox names %d pieces that are not there", len(found.gone))
                self._forget(found.gone)
            for subject in found.subjects:
                self._add(writing, subject)
                if writing.size > _MOST_BYTES:
                    self._commit(writing)
        self._commit(writing)

    def _look_up(self, entries: Sequence[OutboxEntry], session: Session) -> Found:
        return Lookup(session, self._unwire).all(self._project, entries)

    def _add(self, writing: Writing, subject: Subject) -> None:
        for path, content in subject.files():
            writing.add(path, content)
        for path, attachment in subject.attached():
            if not writing.has(path):
                file = self._store.read(partial(self._file, attachment.sha256))
                if file:
                    writing.add(path, file.data)
        self._added.append(subject)

    def _file(self, sha256: str, session: Session) -> StoredFile | None:
        return session.file(self._project.number, sha256)

    def _commit(self, writing: Writing) -> None:
        """Commit, and only then let the database forget."""
        if not self._added:
            return
        added, self._added = self._added, []
        messages = sum(subject.is_message for subject in added)
        note = Note(
            messages=messages,
            mails=len(added) - messages,
            last=max(subject.entry.number for subject in added),
            newest=max(subject.created_at for subject in added),
        )
        writing.commit(note)
        self._forget([subject.entry for subject in added])

    def _forget(self, entries: Sequence[OutboxEntry]) -> None:
        self._store.write(lambda session: session.taken([each.number for each in entries]))
        self.taken += len(entries)


def _outbox(after: int, session: Session) -> Sequence[OutboxEntry]:
    return session.outbox(after=after, limit=_BATCH)


def _by_project(entries: Sequence[OutboxEntry]) -> Mapping[str, list[OutboxEntry]]:
    groups: dict[str, list[OutboxEntry]] = defaultdict(list)
    for entry in entries:
        groups[entry.project_id].append(entry)
    return groups


def _chunks(entries: Sequence[OutboxEntry]) -> Iterator[Sequence[OutboxEntry]]:
    for start in range(0, len(entries), _READ_TOGETHER):
        yield entries[start : start + _READ_TOGETHER]
