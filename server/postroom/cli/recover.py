"""What `postroom recover` does: a new database from the archives, put in place when whole."""

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

import click

from postroom.archive.reading import reading
from postroom.archive.rebuilding import Tally, Tools
from postroom.archive.recovered import Archived
from postroom.archive.recovering import Rebuilding
from postroom.archive.shelf import projects
from postroom.cli.failure import Failure
from postroom.cli.places import Places, told
from postroom.clock import SystemClock
from postroom.ids import TimeOrderedIds
from postroom.mail import Mail
from postroom.rpc.messages import mail_message
from postroom.settings import Settings
from postroom.storage import open_store
from postroom.storage.open import POSTGRES_SCHEMES, is_missing, sqlite_path

# What no archive holds. The rest that is missing is told piece by piece.
_NEVER = """Not in an archive, so not brought back:
- tokens: make new ones; an agent that had one is still believed with a token only
- what was read and acknowledged: mail that has not expired waits again
- contacts between agents: they ask again
- the record of foreign reads, the answers to request ids, plain mail unless archive = all
- agents that never wrote or openly got a message"""


def recover(places: Places) -> int:
    """Rebuild the database from all archives."""
    found = list(projects(places.archive))
    if not found:
        raise Failure("not_found", f"there is no archive in {places.archive}")
    with told(), _fresh(places.settings) as url:
        tally = _rebuilt(places, url, found)
    click.echo(
        f"brought back {tally.projects} projects, {tally.agents} agents, {tally.messages} "
        f"messages, {tally.mails} other mails and {tally.attachments} attachments"
    )
    click.echo(_NEVER)
    for each in tally.lost:
        click.echo(f"- {each}")
    return 0


def _rebuilt(places: Places, url: str, found: list[str]) -> Tally:
    clock = SystemClock()
    store = open_store(url, clock)
    with contextlib.closing(store), contextlib.ExitStack() as stack:
        if store.read(lambda session: session.workflows(after=0, limit=1)):
            raise Failure("failed_precondition", "the database is not empty; name an empty one")
        snapshots = {id: stack.enter_context(reading(places.archive / id)) for id in found}
        tools = Tools(
            store=store,
            ids=TimeOrderedIds(clock),
            random_bytes=secrets.token_bytes,
            wire=_wire,
            now=clock.now(),
            mail_ttl=places.settings.mail_ttl,
        )
        archives = [Archived(id, snapshot) for id, snapshot in snapshots.items()]
        return Rebuilding(tools).rebuild(archives)


@contextlib.contextmanager
def _fresh(settings: Settings) -> Iterator[str]:
    """The URL of a database to fill; a file is put in its place in the end, or nothing is."""
    url = settings.database_url
    if url.startswith(tuple(f"{scheme}:" for scheme in POSTGRES_SCHEMES)):
        yield url
        return
    path = sqlite_path(url)
    if not is_missing(url):
        text = f"{path} is there; move it away first. Nothing was touched"
        raise Failure("failed_precondition", text)
    fresh = path.with_name(f"{path.name}.recovering")
    _remove(fresh)
    try:
        yield f"sqlite:///{fresh}"
        # A database that came meanwhile is left as it is.
        path.hardlink_to(fresh)
    finally:
        _remove(fresh)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def _wire(mail: Mail) -> bytes:
    return mail_message(mail).SerializeToString()
