"""Open the store that a URL names."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from postroom.ports import Clock, Commits, Wakeups
from postroom.storage import postgres, sqlite
from postroom.storage.database import Connection
from postroom.storage.exclusive import Exclusive
from postroom.storage.integrity import CheckedStore
from postroom.storage.store import PooledStore, Store
from postroom.storage.survey import SurveyFirst

POSTGRES_SCHEMES = ("postgresql", "postgres")


class BadUrl(Exception):
    """The URL names no database that postroom can use."""


def open_store(
    url: str,
    clock: Clock,
    wakeups: Wakeups | None = None,
    commits: Commits | None = None,
) -> Store:
    """Open the database and bring it to the newest schema.

    `sqlite:///relative/path`, `sqlite:////absolute/path` or `postgresql://…`. Raises
    BadUrl, SchemaTooNew, BadFile, or StoreFailure when the database cannot serve.
    """
    if is_postgres(url):
        return PooledStore(postgres.connect(url), SurveyFirst(), clock, wakeups, commits)
    path = sqlite_path(url)
    return CheckedStore(sqlite.connect(path), path, Exclusive(), clock, wakeups, commits)


def look_at(url: str) -> Connection:
    """Prepare a connection to a database that is there, to read it beside any servers.

    Raises BadUrl, and BadFile where there is none.
    """
    if is_postgres(url):
        return postgres.connect(url)
    return sqlite.connect_to_look(sqlite_path(url))


def is_postgres(url: str) -> bool:
    """Whether it names a PostgreSQL database, else a SQLite one. Raises BadUrl for any other.

    And where the driver is missing.
    """
    scheme = urlsplit(url).scheme
    if scheme in POSTGRES_SCHEMES:
        _need_driver()
        return True
    if scheme != "sqlite":
        raise BadUrl(
            f"the database URL begins with {scheme or 'no scheme'!r}; give sqlite:///path or "
            "postgresql://user@host/name"
        )
    return False


def is_missing(url: str) -> bool:
    """Whether the URL names a file, and the file is not there. Raises BadUrl."""
    return urlsplit(url).scheme == "sqlite" and not sqlite_path(url).exists()


def sqlite_path(url: str) -> Path:
    """The file that a sqlite URL names. Raises BadUrl when it names none."""
    parts = urlsplit(url)
    if parts.scheme != "sqlite":
        raise BadUrl(
            f"the database URL begins with {parts.scheme or 'no scheme'!r}; give sqlite:///path or "
            "postgresql://user@host/name"
        )
    path = unquote(parts.path.removeprefix("/"))
    if parts.netloc or not path or path == ":memory:":
        raise BadUrl(
            "a sqlite URL names a file with three slashes before its path, such as "
            "sqlite:///mail.db, or sqlite:////var/lib/postroom/mail.db for an absolute one"
        )
    return Path(path)


def _need_driver() -> None:
    try:
        import psycopg  # noqa: F401 - an extra
    except ImportError:
        raise BadUrl("PostgreSQL needs the driver psycopg; install postroom[postgres]") from None
