"""ListMail: look at an agent's mail without claiming it."""

from agent.v1.agent_service_pb2 import ListMailRequest
from postroom import foreign, lookup
from postroom.mail import MailDirection
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import fitting, mail_list, shown_in


def list_mail(call: Call, request: ListMailRequest) -> bytes:
    """Return one page, newest first; a foreign read is recorded with it, or fails."""
    owner = lookup.agent(call.session, request.id) if request.id else call.caller
    direction = MailDirection(request.direction or MailDirection.RECEIVED)
    cursors = call.office.cursors
    scope = (call.caller.id, "mail", owner.id, direction.name)
    before = cursors.read(request.pagination.cursor, *scope)
    is_own = owner.number == call.caller.number
    if not is_own:
        foreign.admit(call, owner, direction)
    limit = page_limit(request.pagination.limit)
    look = call.session.mail if is_own else call.session.mail_for_others
    found = look(owner.number, direction, before=before, limit=limit + 1, now=call.now)
    shown = fitting(found, limit)
    if not is_own:
        foreign.record(call, owner, direction, shown_in(shown))
    more = len(shown) < len(found)
    return mail_list(shown, cursors.write(shown[-1][0], *scope) if more else "")
