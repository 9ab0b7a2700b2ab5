"""SendMail: one piece of mail to another agent (mail.md, check by check)."""

from agent.v1.agent_service_pb2 import SendMailRequest, SendMailResponse
from postroom import address, exchange, mailbox, token
from postroom.agent import Agent
from postroom.errors import NotFound, invalid, quoted
from postroom.mail import MailKind
from postroom.messaging.notices import tell_capped
from postroom.office import Call
from postroom.rpc.messages import mail_message


def send_mail(call: Call, request: SendMailRequest) -> SendMailResponse:
    """Store one mail, the counters and, when it spends the pair's limit, the notices."""
    token.must_not_be_in("body", request.body)
    recipient = address.resolve(call.session, call.caller, request.to)
    if recipient.number == call.caller.number:
        raise invalid("to", "is yourself; mail goes to another agent", "SELF_SEND")
    sender, recipient = call.session.lock(call.caller, recipient)
    recipient.must_accept_mail()
    sender.must_reach(recipient)
    if request.HasField("reply_to"):
        _check_reply(call, recipient, request.reply_to)
    is_counted = exchange.is_limited(sender, recipient)
    spends = is_counted and exchange.admit(
        sender, recipient, call.session.exchanged(sender, recipient), call.limits.exchange
    )
    recipient = _with_room(call, recipient)
    reply_to = request.reply_to if request.HasField("reply_to") else None
    mail = call.plain(sender, recipient, request.body, reply_to)
    message = mail_message(mail)
    call.session.deliver(mail, message.SerializeToString(), counted=is_counted)
    if call.office.messaging.archives_mail:
        # The operator belongs to no project, so its mail is filed where it goes.
        project_id = sender.workflow_id or recipient.workflow_id
        call.session.put_out(project_id, mail.id, call.now)
    if spends:
        tell_capped(call, sender, recipient)
    return SendMailResponse(mail=message, warning=_warning(recipient))


def _check_reply(call: Call, recipient: Agent, reply_to: str) -> None:
    parties = call.session.parties(reply_to)
    if parties is None or call.caller.number not in parties:
        told = f"you neither sent nor received mail with the id {quoted(reply_to)}"
        raise NotFound("mail", reply_to, told)
    if recipient.number not in parties:
        raise invalid(
            "reply_to",
            f"names mail that you did not exchange with {recipient.id}; leave it out or "
            "send the answer to the agent that wrote it",
        )


def _with_room(call: Call, recipient: Agent) -> Agent:
    limit = call.limits.mailbox
    if recipient.mailbox.waiting < limit:
        return recipient
    counts = call.session.count_waiting([recipient], now=call.now, kind=MailKind.PLAIN)
    waiting = counts[recipient.number]
    if waiting >= limit:
        raise mailbox.full(recipient.id, limit)
    return call.session.recount_waiting(recipient, waiting)


def _warning(recipient: Agent) -> str:
    if not recipient.is_dormant:
        return ""
    return (
        f"{recipient.name} ({recipient.id}) is dormant: nothing runs behind it, and the mail "
        "waits until it is resumed"
    )
