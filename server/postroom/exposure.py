"""Who can reach the server, and what is asked of callers because of it."""

import ipaddress
from dataclasses import dataclass, replace
from pathlib import Path

from postroom.listen import Address, address
from postroom.settings import Settings
from postroom.tls import BadTls, Tls

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Exposed(Exception):
    """Others could reach the server and it would be unsafe; the text names what is missing."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """Unix sockets: files that only this user's programs can open."""

    http: Path

    @property
    def grpc(self) -> Path:
        """The one beside it."""
        return self.http.with_name(f"{self.http.name}.grpc")


@dataclass(frozen=True, slots=True)
class Exposure:
    """Where the server listens, and behind what."""

    grpc: Address
    http: Address
    tls: Tls | None
    proxies: tuple[Network, ...]
    names: tuple[str, ...]
    # Whether callers are believed without proof, because only this machine can reach them.
    is_trusted: bool
    # Listened on instead of both addresses, where it is set.
    sockets: Sockets | None = None
    # Where /metrics is: a listener of its own, or the HTTP listener.
    metrics: Address | None = None
    metrics_at_http: bool = False

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the listeners."""
        return self.grpc.is_loopback and self.http.is_loopback

    @property
    def scheme(self) -> str:
        """How the HTTP listener is spoken to."""
        return "https" if self.tls else "http"


def judge(settings: Settings) -> Exposure:
    """Read where to listen. Raises Exposed, BadAddress and BadTls; opens nothing."""
    found = _judge(settings)
    if settings.metrics == "auto":
        # A proxy on this machine brings strangers.
        is_private = found.sockets is not None or (found.http.is_loopback and not found.proxies)
        return replace(found, metrics_at_http=is_private)
    if settings.metrics == "off":
        return found
    metrics = address(settings.metrics, "--metrics")
    if not metrics.is_loopback:
        raise Exposed(
            f"--metrics is {settings.metrics!r}, which other machines can reach; give an address "
            "of this machine such as 127.0.0.1:9464, and let a scraper come by a tunnel or a proxy"
        )
    return replace(found, metrics=metrics)


def _judge(settings: Settings) -> Exposure:
    grpc, http = address(settings.grpc, "--grpc"), address(settings.http, "--http")
    if settings.unix_socket:
        return _on_sockets(settings, grpc, http)
    tls, proxies = _tls(settings), _networks(settings.behind_proxy)
    names = tuple(_parts(settings.host))
    if not tls and not proxies:
        for each, given, option in (
            (grpc, settings.grpc, "--grpc"),
            (http, settings.http, "--http"),
        ):
            _refuse_open(each, given, option)
    if proxies and not names:
        raise Exposed(
            "--behind-proxy needs --host NAME as well: the name that callers know the proxy by"
        )
    is_local = grpc.is_loopback and http.is_loopback
    asks_clients = tls is not None and tls.asks_clients
    is_trusted = is_local and not (settings.require_auth or proxies or asks_clients)
    return Exposure(grpc, http, tls, proxies, names, is_trusted)


def _on_sockets(settings: Settings, grpc: Address, http: Address) -> Exposure:
    for name in ("tls_cert", "tls_key", "client_ca", "behind_proxy"):
        if getattr(settings, name):
            option = name.replace("_", "-")
            raise Exposed(
                f"--unix-socket goes without --{option}: nobody else can reach the socket"
            )
    sockets = Sockets(Path(settings.unix_socket))
    return Exposure(grpc, http, None, (), ("localhost",), not settings.require_auth, sockets)


def hosts(exposure: Exposure, http: Address) -> frozenset[str]:
    """The values of Host under which the HTTP listener is reached."""
    found = set(hosts_at(http))
    for name in exposure.names:
        # A name without a port may be that of a proxy, which listens on a port of its own.
        ports = ("", f":{http.port}", ":80", ":443") if ":" not in name else ("",)
        found |= {f"{name}{port}" for port in ports}
    return frozenset(found)


def hosts_at(place: Address) -> frozenset[str]:
    """The values of Host that an address itself has."""
    found = {str(place)}
    if place.is_loopback:
        found |= {f"127.0.0.1:{place.port}", f"localhost:{place.port}", f"[::1]:{place.port}"}
    return frozenset(found)


def _refuse_open(each: Address, given: str, option: str) -> None:
    if not each.is_loopback:
        raise Exposed(
            f"{option} is {given!r}, which other machines can reach; give --tls-cert and --tls-key "
            "too, or --behind-proxy CIDR where a proxy of yours ends TLS, or listen on 127.0.0.1"
        )


def _tls(settings: Settings) -> Tls | None:
    certificate, key = settings.tls_cert, settings.tls_key
    if bool(certificate) != bool(key):
        given, missing = ("--tls-cert", "--tls-key") if certificate else ("--tls-key", "--tls-cert")
        raise BadTls(f"{given} needs {missing} as well")
    if not certificate:
        if settings.client_ca:
            raise BadTls("--client-ca needs --tls-cert and --tls-key as well")
        return None
    client_ca = Path(settings.client_ca) if settings.client_ca else None
    return Tls(Path(certificate), Path(key), client_ca)


def _networks(text: str) -> tuple[Network, ...]:
    try:
        found = tuple(ipaddress.ip_network(part) for part in _parts(text))
    except ValueError as error:
        raise Exposed(f"--behind-proxy must be a network such as 10.0.0.7/32: {error}") from None
    if any(network.prefixlen == 0 for network in found):
        raise Exposed(
            "--behind-proxy names every address there is, so that anybody could call in plain text "
            "and for others; give the network of your proxy, such as 10.0.0.7/32"
        )
    return found


def _parts(text: str) -> list[str]:
    return [part for each in text.split(",") if (part := each.strip())]
