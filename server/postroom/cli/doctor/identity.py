"""Whom the server takes the caller for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from postroom.agent import OPERATOR
from postroom.cli.doctor.finding import Finding, of_error, ok, problem, warning
from postroom.cli.failure import Failure
from postroom.token import OPERATOR_PREFIX


class Proof(StrEnum):
    """What a call came with."""

    TOKEN = "proven by its token"  # noqa: S105 - words about one
    OPERATOR_FILE = "proven by operator.token"
    CERTIFICATE = "proven by its certificate, if the server asks for one"
    NONE = "taken at your word"


# What to do about a refusal; without a row here the server's own words say it.
_MEND = {
    "TOKEN_INVALID": "make a new token as the operator: postroom token create --agent ID",
    "CALLER_ARCHIVED": "make another as the operator: postroom agent create NAME --workflow KEY",
    "IDENTITY_MISMATCH": "unset POSTROOM_AGENT_ID, or set it to the agent of the token",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call to ListMail as the caller: who it named, how it proved that, what came back."""

    named: str
    proof: Proof
    said: Any | Failure
    is_operator_token: bool = False


def caller(call: Call, agent: Any = None) -> Finding:
    """Say who calls, with the agent's own entry where it was found."""
    if isinstance(call.said, Failure):
        return _refused(call)
    id = agent_id(call)
    if not id:
        return ok(f"you call as an agent that has no mail yet, {call.proof}")
    if isinstance(agent, dict) and agent.get("state") == "AGENT_STATE_DORMANT":
        told = f"you call as {agent.get('name')} ({id}), {call.proof}, which is dormant"
        return warning(told, f"say that it runs again: postroom agent resume {id}")
    name = f"{agent.get('name')} ({id})" if isinstance(agent, dict) and id != OPERATOR else id
    return ok(f"you call as {name}, {call.proof}")


def agent_id(call: Call) -> str:
    """The id of the caller, '' where nothing tells it."""
    if call.named:
        return call.named
    if call.is_operator_token or call.proof in (Proof.NONE, Proof.OPERATOR_FILE):
        return OPERATOR
    mail = call.said.get("mail") if isinstance(call.said, dict) else None
    return str(mail[0].get("toAgentId", "")) if mail else ""


def is_operators(token: str) -> bool:
    """Whether a token is the operator's, by its form."""
    return token.startswith(f"{OPERATOR_PREFIX}_")


def _refused(call: Call) -> Finding:
    assert isinstance(call.said, Failure)
    found = of_error(call.said, "ask the person who runs the server")
    return problem(found.what, _MEND.get(call.said.reason, found.mend))
