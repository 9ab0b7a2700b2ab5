"""The guard in front of the HTTP surface: requests that a stranger could have caused.

A web page in the person's browser can send requests to this machine, and a proxy can
pass on those of anybody. Both are told apart from local programs before the body is
read.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from postroom.errors import DOMAIN, Code
from postroom.rpc.protojson import encode
from postroom.surfaces.gateway.asgi import (
    Application,
    Headers,
    Receive,
    Reply,
    Scope,
    Send,
    send_reply,
)

_FORBIDDEN: Final = 403
_UNSUPPORTED_TYPE: Final = 415
_MISDIRECTED: Final = 421
_HTTP_PORT: Final = 80
# What a page may send to another site without asking it first.
_PAGE_TYPES: Final = ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded")

Refused = tuple[int, Code, str, str]


class Guard:
    """Wraps an application; refuses what does not come straight from a local program.

    `hosts` are the names and addresses, with their ports, under which the server is
    reached; one whose port is 80 is also known without it.
    """

    def __init__(self, app: Application, *, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = frozenset(name for host in hosts for name in _spellings(host))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers.of(scope)
        for check in _CHECKS:
            if refused := check(scope, headers, self._hosts):
                await send_reply(send, _reply(*refused), with_body=scope["method"] != "HEAD")
                return
        await self._app(scope, receive, send)


def _not_loopback(scope: Scope, _headers: Headers, _hosts: frozenset[str]) -> Refused | None:
    client = scope.get("client")
    if client is None and _is_unix_socket(scope):
        return None
    if client is not None and _is_loopback(client[0]):
        return None
    told = "only programs on this machine may call; run the client here or use a token server"
    return _FORBIDDEN, Code.PERMISSION_DENIED, "NOT_LOOPBACK", told


def _bad_host(_scope: Scope, headers: Headers, hosts: frozenset[str]) -> Refused | None:
    given = headers.all("host")
    if len(given) == 1 and (given[0] in hosts or _normal(given[0]) in hosts):
        return None
    told = f"the Host header must be one of {', '.join(sorted(hosts))}; use such an address"
    return _MISDIRECTED, Code.PERMISSION_DENIED, "BAD_HOST", told


def _proxied(_scope: Scope, headers: Headers, _hosts: frozenset[str]) -> Refused | None:
    for name, _ in headers.pairs:
        if name in ("forwarded", "x-real-ip") or name.startswith("x-forwarded-"):
            told = f"the header {name} says that a proxy is in between; call directly"
            return _FORBIDDEN, Code.PERMISSION_DENIED, "PROXIED", told
    return None


def _bad_origin(scope: Scope, headers: Headers, _hosts: frozenset[str]) -> Refused | None:
    for origin in headers.all("origin"):
        own = _normal(headers.first("host")).removesuffix(f":{_HTTP_PORT}")
        scheme, _, host = origin.partition("://")
        same = _normal(host).removesuffix(f":{_HTTP_PORT}") == own
        if not same or scheme != scope.get("scheme", "http"):
            told = "a page of another origin may not call; open the page from this server"
            return _FORBIDDEN, Code.PERMISSION_DENIED, "BAD_ORIGIN", told
    return None


def _cross_site(_scope: Scope, headers: Headers, _hosts: frozenset[str]) -> Refused | None:
    for site in headers.all("sec-fetch-site"):
        if site not in ("same-origin", "none"):
            told = "a page of another site may not call; open the page from this server"
            return _FORBIDDEN, Code.PERMISSION_DENIED, "CROSS_SITE", told
    return None


def _bad_content_type(_scope: Scope, headers: Headers, _hosts: frozenset[str]) -> Refused | None:
    if not any(map(_is_page_type, headers.all("content-type"))):
        return None
    if headers.first("content-length") in ("", "0") and not headers.all("transfer-encoding"):
        return None
    told = "this Content-Type is not taken; send Content-Type: application/json"
    return _UNSUPPORTED_TYPE, Code.INVALID_ARGUMENT, "BAD_CONTENT_TYPE", told


_CHECKS: Final[tuple[Callable[[Scope, Headers, frozenset[str]], Refused | None], ...]] = (
    _not_loopback,
    _bad_host,
    _proxied,
    _bad_origin,
    _cross_site,
    _bad_content_type,
)


@lru_cache
def _is_page_type(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _PAGE_TYPES


def _reply(http: int, code: Code, reason: str, message: str) -> Reply:
    found = Status(code=code, message=message)
    found.details.add().Pack(ErrorInfo(reason=reason, domain=DOMAIN))
    return Reply(http, encode(found))


def _is_unix_socket(scope: Scope) -> bool:
    server = scope.get("server")
    return server is None or server[1] is None


@lru_cache
def _is_loopback(address: str) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def _spellings(host: str) -> Iterator[str]:
    normal = _normal(host)
    yield normal
    if normal.endswith(f":{_HTTP_PORT}"):
        yield normal.removesuffix(f":{_HTTP_PORT}")


def _normal(host: str) -> str:
    """Return a host in lower case, an IPv6 address in its short form."""
    address, bracket, port = host.lower().removeprefix("[").partition("]")
    if not bracket or not host.startswith("["):
        return host.lower()
    try:
        return f"[{ip_address(address).compressed}]{port}"
    except ValueError:
        return host.lower()
