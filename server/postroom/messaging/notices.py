"""Notices that more than one operation raises."""

from agent.v1.mail_pb2 import Mail as Message
from postroom import exchange
from postroom.agent import Agent
from postroom.mail import Mail, MailKind
from postroom.office import Call
from postroom.rpc.messages import mail_message


def deliver(call: Call, notice: Mail) -> Message:
    """Put a notice into its mailbox, which must be locked, and return its message."""
    message = mail_message(notice)
    call.session.deliver(notice, message.SerializeToString(), counted=False)
    return message


def tell_capped(call: Call, one: Agent, other: Agent) -> None:
    """Count a pair whose exchange is spent, and tell both its agents."""
    call.session.count_capped()
    for told, of in ((one, other), (other, one)):
        text = exchange.capped_notice(of, call.limits.exchange)
        deliver(call, call.notice(told, MailKind.EXCHANGE_CAPPED, text))
