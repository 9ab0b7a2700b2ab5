"""Token: what an agent, or the operator, proves itself with."""

import base64
import hashlib
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass

from postroom.agent import OPERATOR, Agent
from postroom.errors import CallerUnknown, QuotaSpent, invalid
from postroom.instant import DAY

AGENT_PREFIX, OPERATOR_PREFIX = "prt", "pro"
# security.md, 3.2: 12 characters that name it, 43 that are secret, 90 days, two at once.
FORM = re.compile(r"(prt|pro)_([a-z0-9]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
LIFETIME = 90 * DAY
# In the data directory of a server, for the person who runs it.
OPERATOR_FILE = "operator.token"
MOST_LIVE = 2
SECRET_BYTES, KEY_ID_BYTES, KEY_ID_LENGTH = 32, 8, 12

RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is stored: without its secret, of which only a hash is kept."""

    number: int = 0
    key_id: str
    secret_hash: bytes
    agent: int
    agent_id: str
    label: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None = None
    last_used_at: int | None = None

    def is_live(self, now: int) -> bool:
        """Whether it still proves something."""
        in_time = self.expires_at is None or now < self.expires_at
        return self.revoked_at is None and in_time


def issue(
    random_bytes: RandomBytes, agent: Agent, label: str, now: int, expires_at: int | None
) -> tuple[Token, str]:
    """A new token for an agent: as it is stored, and as its holder keeps it."""
    key_id = base64.b32encode(random_bytes(KEY_ID_BYTES)).decode().lower()[:KEY_ID_LENGTH]
    secret = base64.urlsafe_b64encode(random_bytes(SECRET_BYTES)).decode().rstrip("=")
    made = Token(
        key_id=key_id,
        secret_hash=secret_hash(secret),
        agent=agent.number,
        agent_id=agent.id,
        label=label,
        created_at=now,
        expires_at=expires_at,
    )
    return made, text_of(agent.id, key_id, secret)


def secret_hash(secret: str) -> bytes:
    """What is kept of a secret: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def matches(token: Token | None, secret: str) -> bool:
    """Compare in the same time whether or not there is such a token."""
    kept = token.secret_hash if token else bytes(hashlib.sha256().digest_size)
    return hmac.compare_digest(kept, secret_hash(secret)) and token is not None


def text_of(agent_id: str, key_id: str, secret: str) -> str:
    """The token as its holder keeps it."""
    return f"{prefix_of(agent_id)}_{key_id}_{secret}"


def prefix_of(agent_id: str) -> str:
    """What the tokens of an agent, or the operator's, begin with."""
    return OPERATOR_PREFIX if agent_id == OPERATOR else AGENT_PREFIX


def parse(text: str) -> tuple[str, str]:
    """The key id and the secret of a token. Raises CallerUnknown (TOKEN_INVALID)."""
    found = FORM.fullmatch(text)
    if not found:
        raise invalid_token()
    return found[2], found[3]


def is_in(text: str) -> bool:
    """Whether a text holds what looks like a token of ours."""
    return FORM.search(text) is not None


def must_not_be_in(field: str, text: str) -> None:
    """Raise InvalidRequest (BODY_CONTAINS_CREDENTIAL) for a text that others are to read."""
    if is_in(text):
        told = "holds a token of this post room; take it out, and have it revoked if it was shown"
        raise invalid(field, told, "BODY_CONTAINS_CREDENTIAL")


def invalid_token() -> CallerUnknown:
    """One text for every reason, so that nobody learns which it was."""
    return CallerUnknown(
        "the token is not valid: malformed, unknown, expired or revoked; ask the operator for a "
        "new one",
        "TOKEN_INVALID",
    )


def token_required(message: str) -> CallerUnknown:
    """A call without the token that it needs."""
    return CallerUnknown(message, "TOKEN_REQUIRED")


def too_many(agent_id: str) -> QuotaSpent:
    """An agent that has as many live tokens as it may."""
    return QuotaSpent(
        f"{agent_id} has {MOST_LIVE} live tokens already; revoke one of them first",
        "TOO_MANY_TOKENS",
        f"agent:{agent_id}",
        MOST_LIVE,
    )
