"""The variables that commands read: which server, and who is calling."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from postroom.agent import OPERATOR
from postroom.cli.credential import token_in
from postroom.cli.failure import Failure
from postroom.token import OPERATOR_FILE

DEFAULT_URL = "http://127.0.0.1:8787"
# What the address of a Unix socket begins with; its path follows.
UNIX = "unix:"
URL, TOKEN, TOKEN_FILE = "POSTROOM_URL", "POSTROOM_TOKEN", "POSTROOM_TOKEN_FILE"
DATA_DIR = "POSTROOM_DATA_DIR"
AGENT_ID, SEED_AGENT_ID = "POSTROOM_AGENT_ID", "KOMRAD_AGENT_ID"
MCP_EMBEDDED = "POSTROOM_MCP_EMBEDDED"
SERVER_CA = "POSTROOM_SERVER_CA"
CLIENT_CERT, CLIENT_KEY = "POSTROOM_CLIENT_CERT", "POSTROOM_CLIENT_KEY"
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")

NAMES = (
    f"Server: {URL} ({DEFAULT_URL} when unset). Caller: {AGENT_ID}, or {SEED_AGENT_ID}; "
    f"unset, you are the operator. Proof of who calls: {TOKEN}, or {TOKEN_FILE} naming a file "
    "that only you can read."
)


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files for https: who signs the server's certificate, and what is shown to it."""

    server_ca: str = ""
    certificate: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """Where to call and as whom. The token is left out of what is printed."""

    url: str
    agent_id: str = ""
    token: str = field(default="", repr=False)
    certificates: Certificates = Certificates()


def client(environ: Mapping[str, str] = os.environ) -> Client:
    """Read the client's variables; an empty one counts as unset."""
    return Client(
        url=server(environ),
        agent_id=agent_id(environ),
        token=token_in(environ.get(TOKEN) or "", environ.get(TOKEN_FILE) or ""),
        certificates=certificates(environ),
    )


def certificates(environ: Mapping[str, str] = os.environ) -> Certificates:
    """The files of a TLS connection."""
    named = (environ.get(name) or "" for name in (SERVER_CA, CLIENT_CERT, CLIENT_KEY))
    return Certificates(*named)


def server(environ: Mapping[str, str] = os.environ) -> str:
    """The server's address."""
    return _checked_url(environ.get(URL) or DEFAULT_URL).rstrip("/")


def agent_id(environ: Mapping[str, str] = os.environ) -> str:
    """Whom the caller names itself as."""
    return _checked_id(environ.get(AGENT_ID) or environ.get(SEED_AGENT_ID) or "")


def may_embed(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether `postroom mcp` may open the database itself when no server answers."""
    return environ.get(MCP_EMBEDDED, "").lower() in ("1", "true", "yes")


def proof(environ: Mapping[str, str] = os.environ) -> tuple[bool, str]:
    """Whether a token is set, and the file that holds one; never the token itself."""
    return bool(environ.get(TOKEN)), environ.get(TOKEN_FILE) or ""


def proxies(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that send calls of other programs through a proxy."""
    return {name: text for name, text in environ.items() if text and name.lower() in _PROXIES}


def operator_token(who: Client, environ: Mapping[str, str] = os.environ) -> str:
    """The operator's token of a server on this machine, '' where it is not for this caller.

    Only for somebody who gave no identity of their own, and never to another machine.
    """
    if who.token or who.agent_id not in ("", OPERATOR) or not is_here(who.url):
        return ""
    # Imported now: most calls need no token of the operator's.
    from platformdirs import user_data_path

    folder = environ.get(DATA_DIR)
    path = (Path(folder) if folder else user_data_path("postroom")) / OPERATOR_FILE
    return token_in("", str(path)) if os.access(path, os.R_OK) else ""


def is_here(url: str) -> bool:
    """Whether a server at this address is on this machine."""
    if url.startswith(UNIX):
        return True
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_url(url: str) -> str:
    if not _is_plain(url):
        # The value is not shown: an address may hold a password.
        raise Failure("invalid_argument", f"{URL} must be an address such as {DEFAULT_URL}")
    return url


def _is_plain(url: str) -> bool:
    if url.startswith(UNIX):
        return url.isprintable() and url.startswith(f"{UNIX}/")
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
