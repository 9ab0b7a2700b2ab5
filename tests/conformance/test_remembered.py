"""Who calls is asked of a SQLite file once, until anybody commits."""

import pytest

from postroom.agent import Agent
from postroom.storage.store import Store
from tests.conformance.world import add_agents
from tests.doubles import START

pytestmark = pytest.mark.parametrize("store_kind", ["sqlite"])


@pytest.fixture
def alfa(store: Store) -> Agent:
    """An agent."""
    (made,) = add_agents(store, "alfa")
    return made


def found(store: Store, agent: Agent) -> Agent | None:
    """The agent as a read finds it."""
    return store.read(lambda session: session.agent(agent.id))


def test_an_agent_is_read_once_while_nobody_commits(store: Store, alfa: Agent) -> None:
    assert found(store, alfa) == alfa
    assert found(store, alfa) is found(store, alfa)


@pytest.mark.parametrize("writer", ["this server", "another one"])
def test_it_is_read_again_after_a_commit(
    store: Store, other_store: Store, alfa: Agent, writer: str
) -> None:
    assert found(store, alfa) == alfa
    writing = store if writer == "this server" else other_store
    writing.write(lambda session: session.touch(alfa, START + 9))
    changed = found(store, alfa)
    assert changed is not None
    assert changed.mailbox.last_active_at == START + 9


def test_it_is_read_again_on_another_connection(store: Store, alfa: Agent) -> None:
    before = found(store, alfa)
    store.leave()
    assert found(store, alfa) == before
    assert found(store, alfa) is not before
