"""Contact: who may write messages to whom (messages.md, Contacts)."""

from dataclasses import dataclass
from enum import StrEnum

from postroom.errors import Code, Forbidden, Refusal, joined

PENDING_SECONDS = 7 * 24 * 3600
IN_SESSION_SECONDS = 12 * 3600


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
    """The recipient takes messages from nobody."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(
            f"{joined(names)} takes messages from nobody (block_all); leave that name out",
            "POLICY_FORBIDS",
        )


def required(names: tuple[str, ...], *, requested: bool) -> Refusal:
    """Refuse a message to agents that take none from the sender without contact."""
    listed = joined(names)
    if requested:
        told = (
            f"{listed} must approve contact with you first, and was asked just now. The message "
            "was not delivered and is not queued; send it again after the approval"
        )
    else:
        told = (
            f"{listed} must approve contact with you first; ask with request_contact. The "
            "message was not delivered and is not queued"
        )
    asked = listed if requested else ""
    return Refusal(
        told,
        Code.FAILED_PRECONDITION,
        "CONTACT_REQUIRED",
        metadata={"auto_contact_requested": asked, "recipients": listed},
        keeps_writes=requested,
    )
