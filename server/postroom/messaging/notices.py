"""Notices that more than one operation raises."""

from postroom import exchange
from postroom.agent import Agent
from postroom.mail import MailKind
from postroom.office import Call
from postroom.rpc.messages import mail_message


def tell_capped(call: Call, one: Agent, other: Agent) -> None:
    """Count a pair whose exchange is spent, and tell both its agents."""
    call.session.count_capped()
    for told, of in ((one, other), (other, one)):
        text = exchange.capped_notice(of, call.limits.exchange)
        notice = call.notice(told, MailKind.EXCHANGE_CAPPED, text)
        call.session.deliver(notice, mail_message(notice).SerializeToString(), counted=False)
