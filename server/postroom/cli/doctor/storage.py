"""The database, and the room that is left for it."""

from pathlib import Path
from urllib.parse import urlsplit

from postroom.cli.doctor.finding import Finding, of_error, ok, problem, warning

_GIB, _MIB = 1 << 30, 1 << 20
_LOW, _TOO_LOW = _GIB, 100 * _MIB


def database(url: str, found: int | Exception | None, known: int) -> Finding:
    """Judge the schema that was found: None without a database, 0 in an empty one."""
    name = shown(url)
    if isinstance(found, Exception):
        told = of_error(found, "see that it runs and lets you in")
        return problem(f"{name}: {told.what}", told.mend)
    if found is None:
        return ok(f"{name} is not there yet; the server makes it")
    if found == 0:
        return ok(f"{name} is empty; the server fills it when it starts")
    differ = f"{name} has schema {found}, and the newest that this postroom knows is {known}"
    if found > known:
        return problem(differ, "upgrade postroom, or name another database")
    if found < known:
        return warning(differ, "back it up; the next start of this postroom's server changes it")
    return ok(f"{name} can be read and has schema {found}")


def shown(url: str) -> str:
    """The database by name, without user and password."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or "the local socket"
    except ValueError:
        return "the database"
    if parts.scheme == "sqlite":
        return f"the database file {parts.path.removeprefix('/')}"
    return f"the database {parts.path.removeprefix('/')} at {host}"


def room(path: Path, free: int) -> Finding:
    """Judge the bytes that are free where the data is."""
    told = f"{free / _GIB:.1f} GiB are free at {path}"
    if free < _TOO_LOW:
        return problem(f"only {free // _MIB} MiB are free at {path}", "free some space")
    return warning(told, "free some space") if free < _LOW else ok(told)
