"""The table of who may do what: a row for everything that a method may be asked to do."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.security.callers import AGENT, CHILD, OPERATOR, UNNAMED, Kind, World, own

Fields = Mapping[str, Any]
Request = Callable[[Kind, World], Fields]
OK = "ok"
_fresh = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Row:
    """What is asked of a method, and what each role gets; an empty cell does not occur."""

    method: str
    what: str
    operator: str
    agent: str
    child: str
    request: Request = field(default=lambda _kind, _world: {})
    # Whoever names nobody where the server trusts; None is as the operator.
    unnamed: str | None = None

    def expected(self, role: str) -> str:
        """The cell of a role."""
        unnamed = self.operator if self.unnamed is None else self.unnamed
        cells = {OPERATOR: self.operator, AGENT: self.agent, CHILD: self.child, UNNAMED: unnamed}
        return cells[role]


def _to(name: str) -> Request:
    return lambda _, world: {"to": world.ids.get(name, name), "body": "hello"}


def _about(name: str, key: str = "id") -> Request:
    return lambda _, world: {key: world.ids.get(name, name)}


def _somebody(kind: Kind, world: World) -> Fields:
    is_person = kind.role in (OPERATOR, UNNAMED)
    return {"agent_id": world.spare.pop() if is_person else world.ids["carol"]}


def _itself(kind: Kind, world: World) -> Fields:
    return {"id": own(kind, world)}


def _answer(_: Kind, world: World) -> Fields:
    return {"to": world.ids["bravo"], "body": "hello", "reply_to": world.foreign_mail}


def _new(**fields: str) -> Request:
    def request(_: Kind, world: World) -> Fields:
        given = {key: world.ids.get(value, value) for key, value in fields.items()}
        return {"name": f"new-{next(_fresh)}", **given}

    return request


def _state(request: Request) -> Request:
    return lambda kind, world: {**request(kind, world), "state": "AGENT_STATE_DORMANT"}


def _credential(_: Kind, world: World) -> Fields:
    return {"to": world.ids["bravo"], "body": f"use {world.tokens['proven']}, please"}


def _notice(_: Kind, world: World) -> Fields:
    return {"agent_ids": [world.ids["bravo"]], "review": "r", "file": "f"}


def _token_of(name: str) -> Request:
    return lambda _, world: {"key_id": world.tokens[name].split("_")[1]}


def _no(reason: str) -> str:
    return f"PERMISSION_DENIED {reason}"


_ONLY_OPERATOR = (OK, _no("OPERATOR_ONLY"), _no("OPERATOR_ONLY"))
_EVERYBODY = (OK, OK, OK)
_CREDENTIAL = "INVALID_ARGUMENT BODY_CONTAINS_CREDENTIAL"
_NO_STATE = "INVALID_ARGUMENT INVALID_FIELD"
_NO_MAIL = "NOT_FOUND MAIL_NOT_FOUND"

ROWS = (
    Row("SendMail", "to another agent", OK, OK, _no("CHILD_SCOPE"), _to("bravo")),
    Row("SendMail", "to the operator", "", OK, _no("CHILD_SCOPE"), _to("operator")),
    Row("SendMail", "with a token in the body", *(_CREDENTIAL,) * 3, _credential),
    Row("SendMail", "answering others' mail", _NO_MAIL, _NO_MAIL, _no("CHILD_SCOPE"), _answer),
    Row("ListMail", "own", *_EVERYBODY),
    Row("ListMail", "another agent's (recorded)", *_EVERYBODY, _about("bravo")),
    Row("ListMail", "the operator's", "", *(_no("OPERATOR_MAILBOX"),) * 2, _about("operator")),
    Row("ReadMail", "own; no other can be named", *_EVERYBODY),
    Row("WatchMail", "own", *_EVERYBODY),
    Row("WatchMail", "another agent's (recorded)", *_EVERYBODY, _about("bravo")),
    Row("WatchMail", "the operator's", "", *(_no("OPERATOR_MAILBOX"),) * 2, _about("operator")),
    Row("WaitForMail", "own; no other can be named", *_EVERYBODY),
    Row("RaiseReviewActivity", "for any agent", *_ONLY_OPERATOR, _notice),
    Row("ListMailboxReads", "of the own mailbox", *_EVERYBODY),
    Row("ListMailboxReads", "of another", OK, *(_no("NOT_YOUR_MAILBOX"),) * 2, _about("bravo")),
    Row("CreateAgent", "in any workflow", OK, *(_no("NOT_YOUR_WORKFLOW"),) * 2, _new(workflow="x")),
    Row("CreateAgent", "a child of its own", "", OK, OK, _new()),
    Row(
        "CreateAgent",
        "a child of another agent",
        OK,
        *(_no("NOT_YOUR_CHILD"),) * 2,
        _new(parent_id="bravo"),
    ),
    Row("GetAgent", "any", *_EVERYBODY, _about("bravo")),
    Row("ListAgents", "all", *_EVERYBODY),
    Row("ListWorkflows", "all", *_EVERYBODY),
    Row("SetAgentState", "of itself", _NO_STATE, OK, OK, _state(_itself)),
    Row(
        "SetAgentState",
        "of another agent",
        OK,
        *(_no("NOT_YOUR_AGENT"),) * 2,
        _state(_about("bravo")),
    ),
    Row("ArchiveAgent", "itself", _NO_STATE, *(_no("NOT_YOUR_AGENT"),) * 2, _itself),
    Row("ArchiveAgent", "another agent", OK, *(_no("NOT_YOUR_AGENT"),) * 2, _about("carol")),
    Row("CreateToken", "for any agent", *_ONLY_OPERATOR, _somebody),
    Row("ListTokens", "of all", *_ONLY_OPERATOR),
    Row("RevokeToken", "any", *_ONLY_OPERATOR, _token_of("revoked")),
)
