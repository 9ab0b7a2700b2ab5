"""The table of who may do what with messages and contacts."""

import itertools

from tests.security.callers import AGENT, CHILD, OPERATOR, UNNAMED, Kind, World
from tests.security.expectations import OK, Fields, Request, Row
from tests.security.expectations import ROWS as MAIL_ROWS

_KEY = "main"
_fresh = itertools.count(1)
_MISMATCH = "PERMISSION_DENIED IDENTITY_MISMATCH"
_NO_MESSAGE = "NOT_FOUND MESSAGE_NOT_FOUND"
_NO_THREAD = "NOT_FOUND THREAD_NOT_FOUND"
_NO_FILE = "NOT_FOUND ATTACHMENT_NOT_FOUND"
_FAMILY = "PERMISSION_DENIED CHILD_SCOPE"
_ONLY_ITSELF = "PERMISSION_DENIED NOT_YOUR_AGENT"
_ONLY_OPERATOR = "PERMISSION_DENIED OPERATOR_ONLY"
_NAMES = {
    OPERATOR: (OPERATOR, OPERATOR),
    UNNAMED: (OPERATOR, OPERATOR),
    AGENT: ("alfa", "proven"),
    CHILD: ("kid", "proven_kid"),
}


def _name(kind: Kind) -> str:
    return _NAMES[kind.role or AGENT][bool(kind.token)]


def _as_itself(field: str, **fields: object) -> Request:
    return lambda kind, _: {"project_key": _KEY, field: _name(kind), **fields}


def _as_bravo(field: str, **fields: object) -> Request:
    return lambda _, __: {"project_key": _KEY, field: "bravo", **fields}


def _new(_: Kind, __: World) -> Fields:
    return {"project_key": _KEY, "name": f"registered-{next(_fresh)}"}


def _new_project(_: Kind, __: World) -> Fields:
    return {"project_key": f"project-{next(_fresh)}"}


def _known(name: str) -> Request:
    return lambda _, __: {"project_key": _KEY, "name": name}


def _own_name(kind: Kind, _: World) -> Fields:
    return {"project_key": _KEY, "name": _name(kind)}


def _message(**fields: object) -> Request:
    return lambda _, world: {
        "project_key": _KEY,
        "message_id": world.foreign_message,
        **fields,
    }


def _thread(_: Kind, world: World) -> Fields:
    return {"project_key": _KEY, "thread_id": world.foreign_message}


def _own_message(kind: Kind, world: World) -> Fields:
    own_name = {"agent_name": _name(kind)}
    return {"project_key": _KEY, "message_id": world.foreign_message, **own_name}


def _reply(kind: Kind, world: World) -> Fields:
    answer = {"sender_name": _name(kind), "body_md": "me too"}
    return {"project_key": _KEY, "message_id": world.foreign_message, **answer}


_SENT: dict[str, object] = {"to": ["erin"], "subject": "s", "body_md": "b"}


def _project(_: Kind, __: World) -> Fields:
    return {"project_key": _KEY}


def _file(_: Kind, __: World) -> Fields:
    return {"project_key": _KEY, "sha256": "0" * 64}


def _own_and_others(
    method: str,
    field: str = "agent_name",
    what: str = "another agent's (recorded)",
    **fields: object,
) -> tuple[Row, Row]:
    """What an agent may read of its own, and the operator of everybody's."""
    return (
        Row(method, "its own", "", OK, OK, _as_itself(field, **fields)),
        Row(
            method,
            what,
            OK,
            _MISMATCH,
            _MISMATCH,
            _as_bravo(field, **fields),
        ),
    )


def _speaks(method: str, request: Request) -> Row:
    """Nobody but whoever names nobody speaks as somebody else."""
    return Row(method, "as another agent", *(_MISMATCH,) * 3, request, unnamed=OK)


ROWS = (
    *MAIL_ROWS,
    Row("EnsureProject", "that is there", OK, OK, OK, _project),
    Row("EnsureProject", "a new one", OK, *(_ONLY_OPERATOR,) * 2, _new_project),
    Row("RegisterAgent", "a new one", OK, *(_ONLY_ITSELF,) * 2, _new),
    Row("RegisterAgent", "itself again", "", OK, OK, _own_name),
    Row("RegisterAgent", "another again", OK, *(_ONLY_ITSELF,) * 2, _known("erin")),
    Row(
        "RegisterAgent",
        "another that has a token",
        OK,
        *(_ONLY_ITSELF,) * 2,
        _known("revoked"),
        unnamed=_ONLY_ITSELF,
    ),
    Row("SendMessage", "as itself", "", OK, _FAMILY, _as_itself("sender_name", **_SENT)),
    _speaks("SendMessage", _as_bravo("sender_name", **_SENT)),
    Row(
        "SendMessage",
        "as an agent with a token",
        *(_MISMATCH,) * 3,
        lambda _, __: {"project_key": _KEY, "sender_name": "revoked", **_SENT},
        unnamed="UNAUTHENTICATED TOKEN_REQUIRED",
    ),
    Row("ReplyMessage", "to others' message", "", _NO_MESSAGE, _NO_MESSAGE, _reply),
    _speaks("ReplyMessage", _message(sender_name="bravo", body_md="again")),
    *_own_and_others("FetchInbox"),
    *_own_and_others("FetchTopic", topic="t"),
    *_own_and_others("ListThreads"),
    *_own_and_others("SearchMessages", query="q"),
    *_own_and_others("ListContacts", what="another agent's"),
    Row("FetchThread", "of others (recorded)", OK, *(_NO_THREAD,) * 2, _thread),
    Row("GetMessage", "of others (recorded)", OK, *(_NO_MESSAGE,) * 2, _message()),
    Row("MarkMessageRead", "others' message", "", *(_NO_MESSAGE,) * 2, _own_message),
    _speaks("MarkMessageRead", _message(agent_name="erin")),
    Row("AcknowledgeMessage", "others' message", "", *(_NO_MESSAGE,) * 2, _own_message),
    _speaks("AcknowledgeMessage", _message(agent_name="erin")),
    Row("RequestContact", "for itself", "", OK, _FAMILY, _as_itself("from_agent", to_agent="dora")),
    _speaks("RequestContact", _as_bravo("from_agent", to_agent="dora")),
    _speaks(
        "RespondContact",
        lambda _, __: {
            "project_key": _KEY,
            "to_agent": "erin",
            "from_agent": "bravo",
            "accept": True,
        },
    ),
    Row("SetContactPolicy", "its own", "", OK, OK, _as_itself("agent_name", policy="open")),
    Row(
        "SetContactPolicy",
        "of another",
        OK,
        *(_MISMATCH,) * 2,
        _as_bravo("agent_name", policy="open"),
    ),
    Row(
        "MacroContactHandshake",
        "for itself",
        "",
        OK,
        _FAMILY,
        _as_itself("requester", target="dora"),
    ),
    _speaks("MacroContactHandshake", _as_bravo("requester", target="dora")),
    Row("GetAttachment", "that no message of its own has", *(_NO_FILE,) * 3, _file),
    Row("ListProjectAgents", "of any project", OK, OK, OK, _project),
)
