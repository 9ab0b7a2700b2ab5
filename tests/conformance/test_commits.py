"""What happens around a commit: wake-ups after it, and commits that fail."""

import threading
from collections.abc import Callable, Container, Iterator

import pytest

from postroom.storage import open_store
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from tests.conformance.callers import held_up
from tests.conformance.world import add_agents, deliver, sending, wires
from tests.doubles import ManualClock


class Woken:
    """Remembers whose mail arrived, and what could be listed by then."""

    def __init__(self) -> None:
        self.arrivals: list[frozenset[int]] = []
        self.seen: list[list[str]] = []
        self.look: Callable[[], list[str]] = list
        self.error: Exception | None = None

    def arrived(self, recipients: frozenset[int]) -> None:
        self.arrivals.append(recipients)
        self.seen.append(self.look())
        if self.error is not None:
            raise self.error


@pytest.fixture
def woken() -> Woken:
    return Woken()


@pytest.fixture
def watched(database_url: str, clock: ManualClock, woken: Woken) -> Iterator[Store]:
    """A store that tells when mail arrives."""
    store = open_store(database_url, clock, woken)
    yield store
    store.close()


def test_recipients_are_told_once_a_batch_after_their_mail_can_be_listed(
    watched: Store, other_store: Store, woken: Woken
) -> None:
    alfa, bravo, carol = add_agents(watched, "alfa", "bravo", "carol")

    def look() -> list[str]:
        listed = wires(other_store, bravo)
        other_store.connection.close()
        return listed

    woken.look = look
    with held_up(watched) as held:
        asked = [
            held.write(lambda session: deliver(session, "1", alfa, bravo)),
            held.write(lambda session: deliver(session, "2", carol, bravo)),
            held.write(lambda session: deliver(session, "3", bravo, alfa)),
        ]
    for future in asked:
        future.result(30)
    assert woken.arrivals == [frozenset({alfa.number, bravo.number})]
    assert woken.seen == [["2", "1"]]


def test_nobody_is_told_of_mail_that_was_not_stored(watched: Store, woken: Woken) -> None:
    alfa, bravo = add_agents(watched, "alfa", "bravo")

    def work(session: object) -> None:
        deliver(session, "1", alfa, bravo)  # type: ignore[arg-type]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watched.write(work)
    watched.check()
    assert woken.arrivals == []


def test_a_waking_that_fails_neither_fails_nor_doubles_the_mail(
    watched: Store, woken: Woken
) -> None:
    alfa, bravo = add_agents(watched, "alfa", "bravo")
    woken.error = RuntimeError("the loop is closed")
    watched.write(lambda session: deliver(session, "1", alfa, bravo))
    with held_up(watched) as held:
        asked = [held.write(sending(id, alfa, bravo)) for id in ("2", "3")]
    for future in asked:
        future.result(30)
    assert wires(watched, bravo) == ["3", "2", "1"]


def _fail_commits(
    monkeypatch: pytest.MonkeyPatch, kind: str, numbers: Container[int], *, after: bool = False
) -> list[int]:
    """Let some of the writer's next commits fail, before or after they are done."""
    plain, seen = Connection.commit, list[int]()

    def commit(connection: Connection) -> None:
        if threading.current_thread().name != "postroom-writer":
            plain(connection)
            return
        seen.append(len(seen))
        if seen[-1] not in numbers:
            plain(connection)
            return
        if after:
            plain(connection)
            connection.close()
        connection.rollback()
        raise StoreFailure(kind)

    monkeypatch.setattr(Connection, "commit", commit)
    return seen


@pytest.mark.parametrize(("kind", "done"), [("full", 2), ("busy", 2), ("conflict", 3)])
def test_a_commit_that_fails_is_undone_and_calls_in_company_are_tried_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, kind: str, done: int
) -> None:
    alfa, bravo = add_agents(store, "alfa", "bravo")
    with held_up(store) as held:
        # The first commit is that of the work which holds the writer up.
        seen = _fail_commits(monkeypatch, kind, {1, 2})
        asked = [held.write(sending(id, alfa, bravo)) for id in ("1", "2", "3")]
    outcomes = [future.exception(30) for future in asked]
    assert max(seen) > 2
    assert sum(outcome is None for outcome in outcomes) == done
    assert wires(store, bravo) == ["3", "2", "1"][:done]


@pytest.mark.parametrize("store_kind", ["postgres"])
def test_a_commit_whose_answer_was_lost_is_looked_up_and_not_repeated(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    alfa, bravo = add_agents(store, "alfa", "bravo")
    with held_up(store) as held:
        _fail_commits(monkeypatch, "unavailable", {1}, after=True)
        asked = [held.write(sending(id, alfa, bravo)) for id in ("1", "2")]
    assert [future.exception(30) for future in asked] == [None, None]
    assert wires(store, bravo) == ["2", "1"]


def test_a_commit_that_always_fails_is_told_to_the_caller(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    alfa, bravo = add_agents(store, "alfa", "bravo")
    with monkeypatch.context() as patched:
        _fail_commits(patched, "full", range(1_000))
        with pytest.raises(StoreFailure) as refused:
            store.write(lambda session: deliver(session, "1", alfa, bravo))
    assert refused.value.kind == "full"
    assert wires(store, bravo) == []
    store.write(lambda session: deliver(session, "2", alfa, bravo))
    assert wires(store, bravo) == ["2"]
