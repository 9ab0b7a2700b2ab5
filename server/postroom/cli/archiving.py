"""What `postroom archive` does, on the data directory itself."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import click

from postroom.archive import checkout as written_out
from postroom.archive.findings import Fault, Finding
from postroom.archive.reading import reading
from postroom.archive.shelf import projects
from postroom.archive.verifying import Needs
from postroom.archive.verifying import verify as compare
from postroom.cli.failure import OTHER, Failure
from postroom.cli.pictures import Pictures
from postroom.cli.places import Places, told, workflows
from postroom.clock import SystemClock
from postroom.instant import SECOND, rfc3339
from postroom.ports import Session, Store
from postroom.rpc.messages import mail_of
from postroom.workflow import Workflow

_TOGETHER = 500


@dataclass(frozen=True, slots=True)
class Status:
    """One project's archive. Sizes are in bytes."""

    project_id: str
    key: str
    commit: str
    committed_at: str
    waiting: int
    packs: int
    size: int


def status(places: Places, as_json: bool) -> int:
    """Show each project's archive."""
    with places.store() as store:
        waiting = _waiting(store)
        known = {each.id: each for each in workflows(store)}
    rows = []
    for id in sorted({*projects(places.archive), *waiting}):
        key = known[id].key if id in known else ""
        rows.append(_status(places.archive / id, id, key, waiting[id]))
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows]))
    else:
        for row in rows:
            newest = row.committed_at or "nothing yet"
            click.echo(f"{row.key or row.project_id}: {newest}, {row.waiting} waiting")
    return 0


def verify(places: Places, project: str | None, as_json: bool) -> int:
    """Compare archives with the database; 1 when something is wrong."""
    with places.store() as store, told(), Pictures() as pictures:
        chosen = list(_chosen(store, project))
        needs = Needs(unwire=mail_of, is_image=pictures.shows, now=SystemClock().now())
        results = {one: compare(store, places.archive / one.id, one, needs) for one in chosen}
    found = {one.key: result.findings for one, result in results.items()}
    if project is None:
        for id in set(projects(places.archive)) - {one.id for one in chosen}:
            found[id] = [Finding(Fault.MISSING_ROW, id)]
    faults = sum(map(len, found.values()))
    if as_json:
        rows = [{"project": key, **asdict(each)} for key, those in found.items() for each in those]
        click.echo(json.dumps(rows))
    else:
        for key, those in found.items():
            for each in those:
                click.echo(f"{key}: {each}")
        messages = sum(result.messages for result in results.values())
        click.echo(f"{messages} messages compared, {faults} faults", err=True)
    return OTHER if faults else 0


def checkout(places: Places, project: str, target: Path) -> int:
    """Write a project's files into a folder."""
    with places.project(project) as (id, snapshot):
        count = written_out.checkout(snapshot, id, target)
    click.echo(f"{count} files written to {target}", err=True)
    return 0


def export(places: Places, project: str, target: Path) -> int:
    """Write a project's files into one file."""
    if not target.name.endswith((".tar", ".tar.gz", ".tgz", ".zip")):
        raise Failure("invalid_argument", f"{target} must end in .tar, .tar.gz or .zip")
    with places.project(project) as (_, snapshot):
        count = written_out.export(snapshot, target)
    click.echo(f"{count} files written to {target}", err=True)
    return 0


def _status(folder: Path, id: str, key: str, waiting: int) -> Status:
    commit = committed_at = ""
    packs = list((folder / "repo.git/objects/pack").glob("*.pack"))
    if packs:
        with told(), reading(folder) as snapshot:
            if head := snapshot.head:
                commit, committed_at = head.id.hex(), rfc3339(head.at * SECOND)
    size = sum(pack.stat().st_size for pack in packs)
    return Status(id, key, commit, committed_at, waiting, len(packs), size)


def _waiting(store: Store) -> Counter[str]:
    """How many entries of the outbox each project has."""
    found: Counter[str] = Counter()
    after = 0

    def page(after: int, session: Session) -> list[tuple[int, str]]:
        return [(e.number, e.project_id) for e in session.outbox(after=after, limit=_TOGETHER)]

    while some := store.read(partial(page, after)):
        after = some[-1][0]
        found.update(project_id for _, project_id in some)
    return found


def _chosen(store: Store, project: str | None) -> Iterator[Workflow]:
    if project is None:
        yield from workflows(store)
        return
    one = store.read(lambda session: session.workflow(project))
    if one is None:
        raise Failure("not_found", f"the database knows no project {project!r}")
    yield one
