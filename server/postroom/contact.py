"""Contact: who may write messages to whom (messages.md, Contacts)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from postroom.errors import Code, Forbidden, Refusal, joined

PENDING_SECONDS = 7 * 24 * 3600
IN_SESSION_SECONDS = 12 * 3600
_MOST_SAID = 6


class ContactPolicy(StrEnum):
    """Whom an agent takes messages from."""

    OPEN = "open"
    # Approved contacts, and whoever the agent has itself written to.
    AUTO = "auto"
    CONTACTS_ONLY = "contacts_only"
    BLOCK_ALL = "block_all"


class ContactStatus(StrEnum):
    """What became of a request for contact."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One agent's request to write to another, and the answer to it.

    An approved contact lets both write. `notice` is the id of the notice that shows a
    pending request to its recipient, and `noticed_until` when that notice expires.
    """

    requester: int
    requester_name: str
    target: int
    target_name: str
    status: ContactStatus
    reason: str
    updated_at: int
    expires_at: int | None
    notice: str | None = None
    noticed_until: int | None = None

    def is_noticed(self, now: int) -> bool:
        """Whether a notice still asks the recipient for an answer."""
        return self.notice is not None and now < (self.noticed_until or 0)

    def status_at(self, now: int) -> ContactStatus:
        """The status at an instant: what has run out is expired, a refusal stays."""
        is_over = self.expires_at is not None and self.expires_at <= now
        if is_over and self.status is not ContactStatus.REFUSED:
            return ContactStatus.EXPIRED
        return self.status


class PolicyForbids(Forbidden):
    """The recipients take messages from nobody."""

    def __init__(self, names: Sequence[str]) -> None:
        told = f"nobody may write to {joined(names)}, whose policy is block_all"
        super().__init__(f"{told}; leave that name out", "POLICY_FORBIDS")


def required(names: Sequence[str], asked: Sequence[str], *, asks: bool) -> Refusal:
    """Refuse a message to agents that take none from the sender without contact.

    `asked` are those for whom a request is pending now. The rest were not asked, because
    the caller does not wish it or, when it `asks`, because they have refused.
    """
    told = f"contact must be approved first by {_some(names)}"
    if not asks:
        told += "; ask with request_contact"
    refused = [name for name in names if name not in asked] if asks else []
    if asked:
        told += "; asked just now" + ("" if list(asked) == list(names) else f": {_some(asked)}")
    if refused:
        told += "; refused before, and not asked again: " + _some(refused)
    metadata = {"auto_contact_requested": joined(asked), "recipients": joined(names)}
    return Refusal(
        f"{told}. The message was not delivered and is not queued; send it again once contact "
        "is approved",
        Code.FAILED_PRECONDITION,
        "CONTACT_REQUIRED",
        metadata=metadata,
        keeps_writes=bool(asked),
    )


def _some(names: Sequence[str]) -> str:
    """The first names: the metadata has all that there is room for, and it is sent beside."""
    return joined(names, most=_MOST_SAID)
