"""The guard in front of the HTTP surface: requests that a stranger could have caused.

A web page in the person's browser can send requests to this machine, and a proxy can
pass on those of anybody. Both are told apart from programs that call by themselves
before the body is read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final

from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from postroom.errors import DOMAIN, Code
from postroom.rpc.door import TurnedAway, nobody_hears
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
from postroom.surfaces.gateway.connection import proxied

_FORBIDDEN: Final = 403
_UNSUPPORTED_TYPE: Final = 415
_MISDIRECTED: Final = 421
_PORTS: Final = {"http": 80, "https": 443}
# What a page may send to another site without asking it first.
_PAGE_TYPES: Final = ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded")

Refused = tuple[int, Code, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a guard lets through.

    `hosts` are the names and addresses under which the server is reached, with their
    ports; a port that is the scheme's own may be left out. `is_local` keeps other
    machines out. From `proxies` a request may be somebody else's; with `only_proxies`
    nobody else on another machine may call. `any_address` takes the very address that
    a connection was made to for a name of the server.
    """

    hosts: frozenset[str]
    is_local: bool = True
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    only_proxies: bool = False
    any_address: bool = False


class Guard:
    """Wraps an application; refuses what the rules do not let through."""

    def __init__(
        self, app: Application, rules: Rules, turned_away: TurnedAway = nobody_hears
    ) -> None:
        """`turned_away` hears of every request that is refused."""
        self._turned_away = turned_away
        self._app = app
        self._rules = rules
        self._hosts = frozenset(map(_normal, rules.hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers.of(scope)
        asked = _Asked(self._rules, self._hosts, scope, headers)
        for check in _CHECKS:
            if refused := check(asked):
                _, code, reason, _ = refused
                self._turned_away("http", code, reason, asked.peer)
                await send_reply(send, _reply(*refused), with_body=scope["method"] != "HEAD")
                return
        await self._app(believed(scope, headers, self._rules), receive, send)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request beside the rules that judge it."""

    rules: Rules
    hosts: frozenset[str]
    scope: Scope
    headers: Headers

    @property
    def peer(self) -> str:
        """The address at the other end of the connection."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""


def _stranger(asked: _Asked) -> Refused | None:
    if not asked.peer and _is_unix_socket(asked.scope):
        return None
    if _is_loopback(asked.peer):
        return None
    if asked.rules.is_local:
        told = "only programs on this machine may call; run the client here"
        return _FORBIDDEN, Code.PERMISSION_DENIED, "NOT_LOOPBACK", told
    if asked.rules.only_proxies and not _is_proxy(asked.peer, asked.rules):
        told = "only the proxy may call here in plain text; call through it"
        return _FORBIDDEN, Code.PERMISSION_DENIED, "NOT_THE_PROXY", told
    return None


def _bad_host(asked: _Asked) -> Refused | None:
    given = asked.headers.all("host")
    if len(given) == 1 and not asked.hosts.isdisjoint(_spellings(given[0], asked.scope)):
        return None
    if len(given) == 1 and asked.rules.any_address and _is_own_address(given[0], asked.scope):
        return None
    told = f"the Host header must be one of {', '.join(sorted(asked.hosts))}; use such an address"
    return _MISDIRECTED, Code.PERMISSION_DENIED, "BAD_HOST", told


def _proxied(asked: _Asked) -> Refused | None:
    if _is_proxy(asked.peer, asked.rules):
        return None
    for name, _ in asked.headers.pairs:
        if name in ("forwarded", "x-real-ip") or name.startswith("x-forwarded-"):
            told = f"the header {name} says that a proxy is in between; call directly"
            return _FORBIDDEN, Code.PERMISSION_DENIED, "PROXIED", told
    return None


def _bad_origin(asked: _Asked) -> Refused | None:
    origins = asked.headers.all("origin")
    if not origins:
        return None
    scope = believed(asked.scope, asked.headers, asked.rules)
    own = set(_spellings(asked.headers.first("host"), scope))
    for origin in origins:
        scheme, _, host = origin.partition("://")
        if scheme != scope.get("scheme", "http") or own.isdisjoint(_spellings(host, scope)):
            told = "a page of another origin may not call; open the page from this server"
            return _FORBIDDEN, Code.PERMISSION_DENIED, "BAD_ORIGIN", told
    return None


def _cross_site(asked: _Asked) -> Refused | None:
    if set(asked.headers.all("sec-fetch-site")) <= {"same-origin", "none"}:
        return None
    told = "a page of another site may not call; open the page from this server"
    return _FORBIDDEN, Code.PERMISSION_DENIED, "CROSS_SITE", told


def _bad_content_type(asked: _Asked) -> Refused | None:
    headers = asked.headers
    if not any(map(_is_page_type, headers.all("content-type"))):
        return None
    if headers.first("content-length") in ("", "0") and not headers.all("transfer-encoding"):
        return None
    told = "this Content-Type is not taken; send Content-Type: application/json"
    return _UNSUPPORTED_TYPE, Code.INVALID_ARGUMENT, "BAD_CONTENT_TYPE", told


_CHECKS: Final[tuple[Callable[[_Asked], Refused | None], ...]] = (
    _stranger,
    _bad_host,
    _proxied,
    _bad_origin,
    _cross_site,
    _bad_content_type,
)


@lru_cache
def _is_page_type(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _PAGE_TYPES


def believed(scope: Scope, headers: Headers, rules: Rules) -> Scope:
    """The scope of a request, with what a proxy says about who really calls."""
    client = scope.get("client")
    if not client or not rules.proxies or not _is_proxy(str(client[0]), rules):
        return scope
    hops = [hop.strip() for line in headers.all("x-forwarded-for") for hop in line.split(",")]
    # The last that is no proxy of ours: anybody can write what stands before it.
    callers = [hop for hop in hops if hop and not _is_proxy(hop, rules)]
    scheme = headers.first("x-forwarded-proto").lower()
    changed = dict(scope)
    changed["extensions"] = proxied(scope)
    if callers:
        changed["client"] = (callers[-1], 0)
    if scheme in _PORTS:
        changed["scheme"] = scheme
    return changed


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
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def _is_proxy(address: str, rules: Rules) -> bool:
    return bool(rules.proxies) and _is_among(address, rules.proxies)


def _is_among(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in network for network in networks)


def _is_own_address(host: str, scope: Scope) -> bool:
    """Whether the host is the address that the connection was made to, never a name."""
    server = scope.get("server")
    if not server or server[1] is None:
        return False
    address = f"[{server[0]}]" if ":" in server[0] else server[0]
    return not set(_spellings(f"{address}:{server[1]}", scope)).isdisjoint(_spellings(host, scope))


def _spellings(host: str, scope: Scope) -> Iterator[str]:
    """A host as it is, and with the scheme's port where it names none."""
    normal = _normal(host)
    yield normal
    if not normal.rpartition("]")[2].count(":"):
        yield f"{normal}:{_PORTS.get(scope.get('scheme', 'http'), 80)}"


def _normal(host: str) -> str:
    """Return a host in lower case, an IPv6 address in its short form."""
    address, bracket, port = host.lower().removeprefix("[").partition("]")
    if not bracket or not host.startswith("["):
        return host.lower()
    try:
        return f"[{ip_address(address).compressed}]{port}"
    except ValueError:
        return host.lower()
