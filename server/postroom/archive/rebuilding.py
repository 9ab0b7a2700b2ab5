"""What rebuilding a database needs from outside, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from postroom.mail import Mail
from postroom.ports import Ids, Store
from postroom.token import RandomBytes

# The stored form of a mail.
Wire = Callable[[Mail], bytes]


@dataclass(slots=True)
class Tally:
    """What came back, and what did not."""

    projects: int = 0
    agents: int = 0
    messages: int = 0
    mails: int = 0
    attachments: int = 0
    lost: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What rebuilding needs from outside; `mail_ttl` is in seconds."""

    store: Store
    ids: Ids
    random_bytes: RandomBytes
    wire: Wire
    now: int
    mail_ttl: int
