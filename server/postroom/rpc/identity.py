"""Who a caller says it is, read from what came beside the request."""

from dataclasses import dataclass

from postroom.agent import OPERATOR, Agent
from postroom.errors import CallerUnknown, Code, Refusal, quoted
from postroom.ports import Session
from postroom.rpc.door import Metadata

AGENT_ID = "postroom-agent-id"
IDEMPOTENCY_KEY = "idempotency-key"


@dataclass(frozen=True, slots=True)
class Identity:
    """The agent that a caller named; naming nobody means the operator.

    A name is taken on trust, so servers that read it listen on loopback only.
    """

    agent_id: str = OPERATOR

    def caller(self, session: Session) -> Agent:
        """The live agent behind the identity. Raises CallerUnknown."""
        # What cannot be printed is no id, and not every database can be asked for it.
        agent = session.agent(self.agent_id) if self.agent_id.isprintable() else None
        if agent is None:
            raise CallerUnknown(
                f"no agent has the id {quoted(self.agent_id)} that you call as; "
                "set POSTROOM_AGENT_ID to the id that `postroom agent list` shows"
            )
        if agent.is_archived:
            told = f"the agent {self.agent_id} that you call as is archived and may call nothing"
            raise CallerUnknown(told, "CALLER_ARCHIVED")
        return agent


def identify(metadata: Metadata) -> Identity:
    """Read the identity. Raises Refusal (AMBIGUOUS_CREDENTIAL) for two different ones."""
    named = values(metadata, AGENT_ID)
    if len(set(named)) > 1:
        raise Refusal(
            f"{AGENT_ID} is given more than once; call as one agent",
            Code.INVALID_ARGUMENT,
            "AMBIGUOUS_CREDENTIAL",
        )
    return Identity(named[0]) if named and named[0] else Identity()


def values(metadata: Metadata, name: str) -> list[str]:
    """The text values that a name has in metadata."""
    return [value for key, value in metadata if key == name and isinstance(value, str)]
