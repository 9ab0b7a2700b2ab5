"""The archive as the settings want it, and the database that it is the archive of."""

from postroom.archive.commit import Author, BadAuthor
from postroom.archive.courier import Courier
from postroom.archive.shelf import Shelf, projects
from postroom.archive.taking import Taker
from postroom.ports import Clock, Commits, Store, Wakeups
from postroom.rpc.messages import mail_of
from postroom.settings import BadSetting, Settings, variable
from postroom.storage import open_store
from postroom.storage.open import is_missing
from postroom.storage.sqlite import DatabaseLost


def database(
    settings: Settings, clock: Clock, wakeups: Wakeups | None, commits: Commits | None
) -> Store:
    """Open the database. Raises DatabaseLost where an archive is left of one that is gone."""
    _author(settings)
    archived = any(projects(settings.archive_path))
    if archived and is_missing(settings.database_url):
        raise DatabaseLost(settings.archive_path)
    store = open_store(settings.database_url, clock, wakeups, commits)
    if archived and not store.read(lambda session: session.workflows(after=0, limit=1)):
        store.close()
        raise DatabaseLost(settings.archive_path)
    return store


def courier(settings: Settings, store: Store) -> Courier | None:
    """Who takes messages to the archive; nobody where it is off."""
    if settings.archive == "off":
        return None
    shelf = Shelf(settings.archive_path, _author(settings))
    return Courier(Taker(store, shelf, mail_of), shelf)


def _author(settings: Settings) -> Author:
    try:
        return Author(settings.archive_author)
    except BadAuthor as error:
        raise BadSetting(f"{variable('archive_author')}: {error}") from None
