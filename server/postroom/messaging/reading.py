"""What the operations that read messages share: one message, and pages of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.v1.message_pb2 import Message as Value
from agent.v1.pagination_pb2 import Pagination
from postroom import foreign, lookup
from postroom.agent import Agent
from postroom.errors import NotFound, quoted
from postroom.mail import MailDirection
from postroom.message import Message, Part, Participant
from postroom.office import Call
from postroom.page import page_limit
from postroom.records import Shown
from postroom.rpc.message_values import fitting


def message(call: Call, id: str) -> Message:
    """The message with this id. Raises NotFound (MESSAGE_NOT_FOUND)."""
    found = call.session.message(id)
    if found is None:
        raise unknown(id)
    return found


def unknown(id: str) -> NotFound:
    """One text for what is not there and for what is not the caller's to see."""
    return NotFound("message", id, f"you neither sent nor got a message with the id {quoted(id)}")


def received(call: Call, agent: Agent, id: str) -> tuple[Message, Participant]:
    """A message that the agent got, with its part in it. Raises NotFound."""
    found = message(call, id)
    own = found.participant(agent.number)
    if own is None or own.part is Part.SENDER:
        raise unknown(id)
    return found, own


def viewer(call: Call, found: Message) -> int | None:
    """Whose eyes a message is seen with: the caller's, who must take part in it.

    The operator sees what nobody hides, and it is recorded with the sender's mailbox.
    Raises NotFound for everybody else.
    """
    if call.caller.is_operator:
        record(call, [found])
        return None
    if found.participant(call.caller.number) is None:
        raise unknown(found.id)
    return call.caller.number


def record(call: Call, found: Sequence[Message]) -> None:
    """Write down that the operator looks into what these agents have sent."""
    for id, count in Counter(one.sender.agent_id for one in found).items():
        owner = lookup.agent(call.session, id)
        foreign.admit(call, owner, MailDirection.SENT)
        foreign.record(call, owner, MailDirection.SENT, Shown(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list of messages: what it is bound to, and how its rows are fetched and shown.

    `number` is a row's place in the list, which the cursor of a page holds. `note` is told
    of the rows of a page before they are returned.
    """

    scope: tuple[str, ...]
    fetch: Callable[[int | None, int], Sequence[Message]]
    show: Callable[[Message], Value]
    number: Callable[[Message], int]
    note: Callable[[Sequence[Message]], None] | None = None

    def page(self, call: Call, asked: Pagination) -> tuple[Sequence[Value], str]:
        """One page, newest first, and the cursor of the next."""
        cursors = call.office.cursors
        bound = (call.caller.id, *self.scope)
        before = cursors.read(asked.cursor, *bound)
        limit = page_limit(asked.limit)
        found = self.fetch(before, limit + 1)
        shown = fitting([self.show(one) for one in found], limit)
        if self.note:
            self.note(found[: len(shown)])
        if len(shown) == len(found):
            return shown, ""
        return shown, cursors.write(self.number(found[len(shown) - 1]), *bound)
