"""Who a caller is, proven or taken on trust (security.md, section 3)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from postroom import token
from postroom.agent import OPERATOR, Agent
from postroom.errors import CallerUnknown, Code, Forbidden, Refusal, quoted
from postroom.instant import MINUTE
from postroom.ports import Session
from postroom.records import Proof
from postroom.rpc.door import Metadata

AGENT_ID = "postroom-agent-id"
AUTHORIZATION = "authorization"
IDEMPOTENCY_KEY = "idempotency-key"
SESSION = "postroom-session"
_CERTIFIED = re.compile(r"(?:spiffe://[^/]+/agent/|urn:postroom:agent:)([A-Za-z0-9_]+)", re.ASCII)


class IdentityMismatch(Forbidden):
    """A caller that proved to be one agent names another, too."""

    def __init__(self, message: str, proven: Agent, named_id: str) -> None:
        super().__init__(message, "IDENTITY_MISMATCH")
        self.proven = proven
        self.named_id = named_id


@dataclass(frozen=True, slots=True)
class Identity:
    """What a caller gave: a token, the id of an agent, a certificate, several or nothing.

    All that it gave must mean the same agent. Where the server trusts, an id without a
    token is believed, unless that agent has ever had a token, and naming nobody means
    the operator. `trusted` must only be true while nobody but this machine can reach
    the server.
    """

    agent_id: str = ""
    token: str = ""
    trusted: bool = False
    certified_id: str = ""

    @property
    def proof(self) -> Proof:
        """How the caller shows who it is; true once `caller` has returned it."""
        if self.token:
            return Proof.TOKEN
        if self.certified_id:
            return Proof.CERTIFICATE
        return Proof.NAMED if self.agent_id else Proof.OPERATOR

    @property
    def key_id(self) -> str:
        """The key id of the token, '' without one. Raises CallerUnknown for no token of ours."""
        return token.parse(self.token)[0] if self.token else ""

    @property
    def names_nobody(self) -> bool:
        """Whether the caller gave nothing to know it by, and is the operator by default."""
        return not (self.agent_id or self.token or self.certified_id)

    def caller(self, session: Session, now: int) -> Agent:
        """The live agent behind the identity. Raises CallerUnknown, Forbidden."""
        proven = self._proven(session, now) if self.token else None
        certified = self._certified(session) if self.certified_id else None
        agent = proven or certified or self._named(session)
        if certified and certified.number != agent.number:
            told = f"your certificate names {certified.id}, and your token proves another agent"
            raise IdentityMismatch(told, agent, certified.id)
        if agent.is_archived:
            told = f"the agent {agent.id} that you call as is archived and may call nothing"
            raise CallerUnknown(told, "CALLER_ARCHIVED")
        return agent

    def _proven(self, session: Session, now: int) -> Agent:
        key_id, secret = token.parse(self.token)
        found = session.token(key_id)
        agent = session.agent(found.agent_id) if found else None
        if not token.matches(found, secret) or not found or not agent or not found.is_live(now):
            raise token.invalid_token()
        if not self.token.startswith(token.prefix_of(agent.id)):
            raise token.invalid_token()
        if now - (found.last_used_at or 0) >= MINUTE:
            session.use_token(found, now)
        self._must_agree("token", agent)
        return agent

    def _certified(self, session: Session) -> Agent:
        agent = session.agent(self.certified_id)
        # A certificate may be signed by somebody who is not the operator, so it proves agents only.
        if agent is None or agent.is_operator:
            raise CallerUnknown(
                f"your certificate names {quoted(self.certified_id)}, and no agent has that id"
            )
        self._must_agree("certificate", agent)
        return agent

    def _must_agree(self, proof: str, agent: Agent) -> None:
        if self.agent_id and self.agent_id != agent.id:
            told = (
                f"your {proof} proves {agent.id}, and you call as another agent; name that one or "
                "none"
            )
            raise IdentityMismatch(told, agent, self.agent_id)

    def _named(self, session: Session) -> Agent:
        if not self.trusted:
            raise token.token_required(
                "this server wants proof of who calls; set POSTROOM_TOKEN to the token that the "
                "operator made for you"
            )
        named = self.agent_id or OPERATOR
        # What cannot be printed is no id, and not every database can be asked for it.
        agent = session.agent(named) if named.isprintable() else None
        if agent is None:
            raise CallerUnknown(
                f"no agent has the id {quoted(named)} that you call as; "
                "set POSTROOM_AGENT_ID to the id that `postroom agent list` shows"
            )
        if agent.proves and not agent.is_operator:
            raise token.token_required(
                f"the agent {agent.id} has a token and must call with it; set POSTROOM_TOKEN"
            )
        return agent


def identify(metadata: Metadata, *, trusted: bool, peer_uris: Sequence[str] = ()) -> Identity:
    """Read the identity. Raises Refusal (AMBIGUOUS_CREDENTIAL) for two different ones."""
    authorization = _single(metadata, AUTHORIZATION)
    return Identity(
        _single(metadata, AGENT_ID),
        _bearer(authorization) if authorization else "",
        trusted,
        _certified_id(peer_uris) if peer_uris else "",
    )


def values(metadata: Metadata, name: str) -> list[str]:
    """The text values that a name has in metadata."""
    return [value for key, value in metadata if key == name and isinstance(value, str)]


def _single(metadata: Metadata, name: str) -> str:
    found = values(metadata, name)
    if not found:
        return ""
    if len(set(found)) > 1:
        raise _ambiguous(f"{name} is given more than once")
    return found[0]


def _certified_id(uris: Sequence[str]) -> str:
    """The agent that a certificate names by its URIs, '' when they name none."""
    found = {match[1] for uri in uris if (match := _CERTIFIED.fullmatch(uri))}
    if len(found) > 1:
        raise _ambiguous("your certificate names several agents")
    return found.pop() if found else ""


def _ambiguous(told: str) -> Refusal:
    return Refusal(f"{told}; call as one agent", Code.INVALID_ARGUMENT, "AMBIGUOUS_CREDENTIAL")


def _bearer(authorization: str) -> str:
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise token.invalid_token()
    return credential.strip()
