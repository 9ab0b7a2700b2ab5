"""The server's own data and database, for commands that work on them directly."""

import contextlib
import os
from collections.abc import Iterator, Mapping

from postroom.archive import profile
from postroom.archive.checkout import NotOurs
from postroom.archive.frontmatter import Unreadable
from postroom.archive.git import ArchiveFailure
from postroom.archive.paths import PROJECT
from postroom.archive.reading import Snapshot, reading
from postroom.archive.shelf import projects
from postroom.cli.failure import Failure
from postroom.clock import SystemClock
from postroom.errors import Refusal
from postroom.ports import Store
from postroom.settings import BadSetting, Settings, load
from postroom.storage import open_store
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.open import BadUrl, is_missing
from postroom.storage.sqlite import BadFile
from postroom.workflow import Workflow

_TOGETHER = 200


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell what goes wrong with a code and a line."""
    try:
        yield
    except (BadSetting, BadUrl) as error:
        raise Failure("invalid_argument", str(error)) from error
    except (SchemaTooNew, BadFile, NotOurs) as error:
        raise Failure("failed_precondition", str(error)) from error
    except (ArchiveFailure, OSError) as error:
        raise Failure("unavailable", str(error)) from error
    except Refusal as refusal:
        raise Failure(refusal.code.name.lower(), refusal.message) from refusal


class Places:
    """Where the server's data and database are."""

    def __init__(self, overrides: Mapping[str, str]) -> None:
        # What is written is this user's alone.
        os.umask(0o077)
        with told():
            self.settings: Settings = load(overrides)
        self.archive = self.settings.archive_path

    @contextlib.contextmanager
    def store(self) -> Iterator[Store]:
        """The database, which must be there. Raises Failure."""
        with told():
            if is_missing(self.settings.database_url):
                text = "there is no database; rebuild it from the archive with: postroom recover"
                raise Failure("failed_precondition", text)
            store = open_store(self.settings.database_url, SystemClock())
        with contextlib.closing(store):
            yield store

    @contextlib.contextmanager
    def project(self, key: str) -> Iterator[tuple[str, Snapshot]]:
        """The archive of a project, by its key or id; needs no database. Raises Failure."""
        with told():
            for id in projects(self.archive):
                with reading(self.archive / id) as snapshot:
                    if key in (id, _key(snapshot)):
                        yield id, snapshot
                        return
        raise Failure("not_found", f"no archive in {self.archive} is of a project {key!r}")


def workflows(store: Store) -> Iterator[Workflow]:
    """All projects of a database."""
    after = 0
    while some := store.read(lambda session: session.workflows(after=after, limit=_TOGETHER)):  # noqa: B023 - read at once
        after = some[-1].number
        yield from some


def _key(snapshot: Snapshot) -> str:
    for file in snapshot.files():
        if file.path == PROJECT:
            with contextlib.suppress(Unreadable):
                return profile.read_project(snapshot.content(file.id)).key
    return ""
