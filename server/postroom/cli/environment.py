"""The variables that commands read: which server, and who is calling."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from postroom.cli.credential import token_in
from postroom.cli.failure import Failure

DEFAULT_URL = "http://127.0.0.1:8787"
URL, TOKEN, TOKEN_FILE = "POSTROOM_URL", "POSTROOM_TOKEN", "POSTROOM_TOKEN_FILE"
AGENT_ID, SEED_AGENT_ID = "POSTROOM_AGENT_ID", "KOMRAD_AGENT_ID"

NAMES = (
    f"Server: {URL} ({DEFAULT_URL} when unset). Caller: {AGENT_ID}, or {SEED_AGENT_ID}; "
    f"unset, you are the operator. Proof of who calls: {TOKEN}, or {TOKEN_FILE} naming a file "
    "that only you can read."
)


@dataclass(frozen=True, slots=True)
class Client:
    """Where to call and as whom. The token is left out of what is printed."""

    url: str
    agent_id: str = ""
    token: str = field(default="", repr=False)


def client(environ: Mapping[str, str] = os.environ) -> Client:
    """Read the client's variables; an empty one counts as unset."""
    url = environ.get(URL) or DEFAULT_URL
    return Client(
        url=_checked_url(url).rstrip("/"),
        agent_id=_checked_id(environ.get(AGENT_ID) or environ.get(SEED_AGENT_ID) or ""),
        token=token_in(environ.get(TOKEN) or "", environ.get(TOKEN_FILE) or ""),
    )


def _checked_url(url: str) -> str:
    if not _is_plain(url):
        # The value is not shown: an address may hold a password.
        raise Failure("invalid_argument", f"{URL} must be an address such as {DEFAULT_URL}")
    return url


def _is_plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return _names_a_server(parts) and parts.port != 0
    except ValueError:
        return False


def _names_a_server(parts: SplitResult) -> bool:
    extra = parts.query or parts.fragment or parts.username or parts.password
    text = parts.netloc + parts.path
    is_printable = text.isascii() and text.isprintable() and " " not in text
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and not extra and is_printable


def _checked_id(agent_id: str) -> str:
    if not (agent_id.isascii() and agent_id.isprintable()):
        raise Failure("invalid_argument", f"{AGENT_ID} must be an agent's id in plain ASCII")
    return agent_id
