"""Requests for contact: made, renewed, approved (messages.md, Contacts)."""

import json
from dataclasses import replace

from postroom import instant, lookup
from postroom.agent import Agent
from postroom.contact import Contact, ContactPolicy, ContactStatus, PolicyForbids
from postroom.errors import argument
from postroom.mail import Mail, MailKind
from postroom.messaging import notices
from postroom.office import Call


def request(call: Call, requester: Agent, target: Agent, reason: str, seconds: int) -> Contact:
    """Leave a pending request for a target, or renew the one that is there.

    Both agents must be locked. An approval that holds is returned as it is, and so is a
    refusal: it stands as long as a request would have. One that is renewed keeps its
    reason where none is given, and lasts no shorter than before. `seconds` of 0 is the
    server's own time. Raises PolicyForbids when the target takes messages from nobody, and
    Forbidden (CHILD_SCOPE) for one that the requester may not write to at all.
    """
    requester.must_reach(target)
    if target.contact_policy == ContactPolicy.BLOCK_ALL:
        raise PolicyForbids([target.name])
    known = call.session.contact(requester.number, target.number)
    if known is not None and _stands(known, call.now):
        return known
    expires_at = call.now + (seconds or call.office.messaging.pending_contact) * instant.SECOND
    if known is not None and known.status_at(call.now) is ContactStatus.PENDING:
        reason = reason or known.reason
        expires_at = max(expires_at, known.expires_at or expires_at)
    asked = Contact(
        requester=requester.number,
        requester_name=requester.name,
        target=target.number,
        target_name=target.name,
        status=ContactStatus.PENDING,
        reason=reason,
        updated_at=call.now,
        expires_at=expires_at,
    )
    if known is not None and known.is_noticed(call.now):
        asked = replace(asked, notice=known.notice, noticed_until=known.noticed_until)
    else:
        notice = _notice(call, requester, target, asked)
        asked = replace(asked, notice=notice.id, noticed_until=notice.expires_at)
    call.session.keep_contact(asked)
    return asked


def approve(call: Call, requester: Agent, target: Agent, reason: str, seconds: int) -> Contact:
    """Approve contact at once; a request that waited for it needs no answer any more.

    Both agents must be locked. `seconds` of 0 is for good. Raises Forbidden (CHILD_SCOPE).
    """
    requester.must_reach(target)
    known = call.session.contact(requester.number, target.number)
    approved = Contact(
        requester=requester.number,
        requester_name=requester.name,
        target=target.number,
        target_name=target.name,
        status=ContactStatus.APPROVED,
        reason=reason or (known.reason if known else ""),
        updated_at=call.now,
        expires_at=call.now + seconds * instant.SECOND if seconds else None,
    )
    settle(call, known)
    call.session.keep_contact(approved)
    return approved


def accept(call: Call, requester: Agent, target: Agent, reason: str, seconds: int) -> Contact:
    """Approve contact in the target's session, unless it is approved for longer already."""
    known = call.session.contact(requester.number, target.number)
    if known is not None and known.status_at(call.now) is ContactStatus.APPROVED:
        until = call.now + seconds * instant.SECOND
        if known.expires_at is None or known.expires_at >= until:
            return known
    return approve(call, requester, target, reason, seconds)


def settle(call: Call, known: Contact | None) -> None:
    """Take back the notice of a request that was answered."""
    if known is not None and known.notice is not None and known.is_noticed(call.now):
        call.session.withdraw(known.notice, call.now)


def _stands(known: Contact, now: int) -> bool:
    is_over = known.expires_at is not None and known.expires_at <= now
    return known.status in (ContactStatus.APPROVED, ContactStatus.REFUSED) and not is_over


def _notice(call: Call, requester: Agent, target: Agent, asked: Contact) -> Mail:
    key = lookup.workflow(call.session, target.workflow_id).key
    told = (
        f"{requester.name} ({requester.id}) asks to be let write messages to you. Answer with "
        f"respond_contact, project_key {argument(key)}, "
        f"to_agent {target.name}, from_agent {requester.name}, and accept true or false."
    )
    if asked.reason:
        # Quoted on one line: a notice speaks for the post room, and these words do not.
        told += f" The reason that it gives: {json.dumps(asked.reason, ensure_ascii=False)}"
    notice = call.notice(target, MailKind.CONTACT_REQUEST, told)
    expires_at = min(notice.expires_at, asked.expires_at or notice.expires_at)
    notice = replace(notice, expires_at=expires_at)
    notices.deliver(call, notice)
    return notice
