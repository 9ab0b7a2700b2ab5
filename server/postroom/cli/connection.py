"""One JSON call to the server, with the standard library alone."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from postroom.cli.certificates import context
from postroom.cli.environment import CLIENT_CERT, SERVER_CA, UNIX, Client
from postroom.cli.failure import Failure

_CHUNK = 1 << 16
# The server's own word on a missed deadline says more than ours, so it gets a moment.
_GRACE = 0.25
_UNSURE = "the call may have taken effect"
# Reasons of failures that no server gave.
UNREACHABLE, NOT_OURS, TLS_REFUSED = "SERVER_UNREACHABLE", "NOT_POSTROOM", "TLS_REFUSED"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes
    content_type: str
    ignored_fields: str


def post(client: Client, path: str, body: bytes, seconds: float) -> Answer:
    """Send one request, once; nothing is repeated here. Raises Failure when none answers."""
    return _exchange(client, path, body, seconds)


def get(client: Client, path: str, seconds: float) -> Answer:
    """Fetch a page of the server's, as nobody. Raises Failure when none answers."""
    return _exchange(client, path, None, seconds)


def _exchange(client: Client, path: str, body: bytes | None, seconds: float) -> Answer:
    """Post a body, or get a page where there is none."""
    deadline = time.monotonic() + seconds + _GRACE
    connection = _connect(client, seconds)
    try:
        before = "" if client.url.startswith(UNIX) else urlsplit(client.url).path
        if body is None:
            connection.request("GET", f"{before}/{path}", headers={"Accept": "application/json"})
        else:
            connection.request("POST", f"{before}/{path}", body, _headers(client, seconds))
        return _receive(connection, deadline)
    except (OSError, http.client.HTTPException) as error:
        raise _lost(client, seconds, error) from error
    finally:
        connection.close()


def _lost(client: Client, seconds: float, error: Exception) -> Failure:
    url = client.url
    if isinstance(error, TimeoutError):
        told = f"no answer from {url} within {seconds:g} s; {_UNSURE}"
        return Failure("deadline_exceeded", told)
    # A server may end the connection over a certificate without a word.
    is_bare = url.startswith("https:") and not client.certificates.certificate
    if isinstance(error, ssl.SSLError) or (is_bare and isinstance(error, ConnectionError)):
        told = f"{url} broke off; if it asks for a certificate, {CLIENT_CERT} must name one of "
        told += f"its authority's; {_UNSURE}"
        return Failure("unavailable", told, reason=TLS_REFUSED)
    if isinstance(error, OSError | http.client.IncompleteRead):
        return Failure("unavailable", f"{url} broke off before the whole answer; {_UNSURE}")
    return stranger(url, "it does not speak HTTP")


def stranger(url: str, found: str) -> Failure:
    """Say that the address belongs to another program."""
    told = f"what answers at {url} is not postroom ({found}); set POSTROOM_URL to the server"
    return Failure("unavailable", told, reason=NOT_OURS)


def _connect(client: Client, seconds: float) -> http.client.HTTPConnection:
    url, connection = client.url, _connection(client, seconds)
    try:
        connection.connect()
    except ssl.SSLCertVerificationError as error:
        told = f"the certificate of {url} is not accepted: {error.verify_message.rstrip('.')}; "
        told += f"{SERVER_CA} names who must have signed it"
        raise Failure("unavailable", told, reason=TLS_REFUSED) from error
    except OSError as error:
        why = "" if isinstance(error, ConnectionRefusedError) else f" ({_reason(error)})"
        told = f'cannot reach the server at {url}{why}; start it with "postroom serve" '
        told += "or set POSTROOM_URL"
        raise Failure("unavailable", told, reason=UNREACHABLE) from error
    return connection


class _OnSocket(http.client.HTTPConnection):
    """HTTP on a Unix socket."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connection(client: Client, seconds: float) -> http.client.HTTPConnection:
    if client.url.startswith(UNIX):
        return _OnSocket(client.url.removeprefix(UNIX), seconds)
    url = urlsplit(client.url)
    host = url.hostname or ""
    if url.scheme == "https":
        trust = context(client.certificates)
        return http.client.HTTPSConnection(host, url.port, timeout=seconds, context=trust)
    return http.client.HTTPConnection(host, url.port, timeout=seconds)


def _reason(error: OSError) -> str:
    return "timed out" if isinstance(error, TimeoutError) else error.strerror or str(error)


def _headers(client: Client, seconds: float) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Grpc-Timeout": f"{max(1, round(seconds * 1000))}m",
    }
    if client.agent_id:
        headers["Postroom-Agent-Id"] = client.agent_id
    if client.token:
        headers["Authorization"] = f"Bearer {client.token}"
    return headers


def _receive(connection: http.client.HTTPConnection, deadline: float) -> Answer:
    # Kept, because the connection lets go of its socket once the headers are in.
    link = connection.sock
    link.settimeout(_left(deadline))
    response = connection.getresponse()
    body = b"".join(_pieces(link, response, deadline))
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return Answer(
        status=response.status,
        body=body,
        content_type=response.getheader("Content-Type", ""),
        ignored_fields=response.getheader("Postroom-Ignored-Fields", ""),
    )


def _pieces(
    link: socket.socket, response: http.client.HTTPResponse, deadline: float
) -> Iterator[bytes]:
    # In pieces, because a socket's own time-out starts anew with every byte.
    while not response.isclosed():
        link.settimeout(_left(deadline))
        piece = response.read1(_CHUNK)
        if not piece:
            return
        yield piece


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
