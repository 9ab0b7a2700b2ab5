"""Every kind of caller, and the people that calls are about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from postroom.clock import SystemClock
from postroom.storage import open_store
from postroom.token import LIFETIME
from tests.doubles import ManualClock
from tests.room import Room

_SPARE = 16
OPERATOR, AGENT, CHILD = "operator", "agent", "child"
# Whoever names nobody: the operator in most things, and whom it says in messages.
UNNAMED = "unnamed"
TOKEN_REQUIRED, TOKEN_INVALID = "UNAUTHENTICATED TOKEN_REQUIRED", "UNAUTHENTICATED TOKEN_INVALID"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of caller: what it gives, where, and who it then is.

    `role` is the column of the table that holds for it; without one it is nobody, and
    every call of it ends with `refusal`.
    """

    name: str
    trusted: bool
    role: str = ""
    refusal: str = ""
    agent_id: str = ""
    token: str = field(default="", repr=False)


@dataclass
class World:
    """The agents, by what they are in the matrix. Each agent has a named twin and a proven one."""

    ids: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    # The id of a mail that none of the callers has had anything to do with.
    foreign_mail: str = ""
    # And a message, with its thread.
    foreign_message: str = ""
    # Agents that have no token yet.
    spare: list[str] = field(default_factory=list)


def populate(database: str) -> World:
    """Put everybody into a new database."""
    clock = ManualClock(SystemClock().now() - LIFETIME - 1)
    store = open_store(database, clock)
    room = Room(store, clock)
    world = World()
    try:
        _make(room, world, "expired", with_token=True)
        clock.advance(days=90, seconds=1)
        for name in ("alfa", "bravo", "carol", "archived"):
            _make(room, world, name)
        for name in ("proven", "revoked"):
            _make(room, world, name, with_token=True)
        _make(room, world, "kid", parent_id=world.ids["alfa"])
        _make(room, world, "proven_kid", parent_id=world.ids["proven"], with_token=True)
        key_id = world.tokens["revoked"].split("_")[1]
        room.call("RevokeToken", key_id=key_id)
        room.call("ArchiveAgent", id=world.ids["archived"])
        world.tokens[OPERATOR] = room.call("CreateToken", agent_id=OPERATOR).token
        world.spare = [room.agent(f"spare-{n}").id for n in range(_SPARE)]
        room.send(world.ids["alfa"], world.ids["bravo"], "waits to be seen")
        world.foreign_mail = room.send(world.ids["bravo"], world.ids["carol"], "in between").id
        _write(room, world)
    finally:
        room.close()
        store.close()
    return world


def _write(room: Room, world: World) -> None:
    """Let messages go to everybody but dora, and one go from bravo to erin."""
    for name in ("dora", "erin"):
        _make(room, world, name)
    for name in ("alfa", "bravo", "erin", "proven"):
        as_ = world.tokens.get(name, "")
        open_ = {"agent_name": name, "policy": "open"}
        room.call("SetContactPolicy", as_, project_key="main", **open_)
    asked = {"from_agent": "bravo", "to_agent": "erin"}
    room.call("RequestContact", project_key="main", **asked)
    text = {"subject": "between us", "body_md": "hello"}
    answer = room.call("SendMessage", project_key="main", sender_name="bravo", to=["erin"], **text)
    world.foreign_message = answer.deliveries[0].payload.id


def kinds(world: World) -> list[Kind]:
    """Every kind of caller."""
    ids, tokens = world.ids, world.tokens
    invalid = {
        "token revoked": tokens["revoked"],
        "token expired": tokens["expired"],
        "token unknown": f"prt_{'a' * 12}_{'A' * 43}",
        "token malformed": "prt_short",
    }
    return [
        Kind("nobody named, trusted", True, UNNAMED),
        Kind("operator, by token", False, OPERATOR, token=tokens[OPERATOR]),
        Kind("agent, named", True, AGENT, agent_id=ids["alfa"]),
        Kind("agent, by token", False, AGENT, token=tokens["proven"]),
        Kind("agent, by token and named", True, AGENT, "", ids["proven"], tokens["proven"]),
        Kind("child, named", True, CHILD, agent_id=ids["kid"]),
        Kind("child, by token", False, CHILD, token=tokens["proven_kid"]),
        Kind("agent with a token, only named", True, "", TOKEN_REQUIRED, ids["proven"]),
        Kind("nobody, trust off", False, "", TOKEN_REQUIRED),
        Kind("agent, only named, trust off", False, "", TOKEN_REQUIRED, ids["alfa"]),
        Kind("unknown id", True, "", "UNAUTHENTICATED CALLER_UNKNOWN", "agt_nobody"),
        Kind("archived", True, "", "UNAUTHENTICATED CALLER_ARCHIVED", ids["archived"]),
        *(Kind(name, True, "", TOKEN_INVALID, token=token) for name, token in invalid.items()),
        Kind(
            "token and another id",
            True,
            "",
            "PERMISSION_DENIED IDENTITY_MISMATCH",
            ids["alfa"],
            tokens["proven"],
        ),
    ]


def own(kind: Kind, world: World) -> str:
    """The id of a caller that is somebody."""
    twins: Mapping[str, tuple[str, str]] = {
        OPERATOR: (OPERATOR, OPERATOR),
        UNNAMED: (OPERATOR, OPERATOR),
        AGENT: ("alfa", "proven"),
        CHILD: ("kid", "proven_kid"),
    }
    name = twins[kind.role or AGENT][bool(kind.token)]
    return world.ids.get(name, name)


Ids = Callable[[Kind, World], str]


def _make(room: Room, world: World, name: str, *, with_token: bool = False, **fields: str) -> None:
    world.ids[name] = room.agent(name, **fields).id
    if with_token:
        world.tokens[name] = room.call("CreateToken", agent_id=world.ids[name]).token
