"""Addresses to listen on, and which of them only this machine can reach."""

import ipaddress
import socket
from dataclasses import dataclass

_LARGEST_PORT = 65535
Literal = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadAddress(Exception):
    """The text is no address that the server may listen on; it says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """A literal IP address and a port; port 0 picks a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.host).is_loopback

    @property
    def is_wildcard(self) -> bool:
        """Whether it stands for every address of this machine."""
        return ipaddress.ip_address(self.host).is_unspecified


def address(text: str, setting: str) -> Address:
    """Read HOST:PORT. Raises BadAddress.

    A name is resolved here, once: what it means is what is judged and listened on.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > _LARGEST_PORT:
        raise BadAddress(f"{setting} is {text!r}; give HOST:PORT, such as 127.0.0.1:8787")
    literal = _resolve(host.removeprefix("[").removesuffix("]"), setting)
    return Address(str(literal), int(port))


def plain(literal: Literal) -> Literal:
    """An IPv4 address that is written as an IPv6 one, as what it is."""
    return getattr(literal, "ipv4_mapped", None) or literal


def _resolve(host: str, setting: str) -> Literal:
    if host == "localhost":
        # Resolving it could give ::1 while another server holds 127.0.0.1.
        host = "127.0.0.1"
    if host in ("", "*"):
        host = "0.0.0.0"  # noqa: S104 - whoever asks for it must ask for TLS as well
    try:
        return plain(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return plain(ipaddress.ip_address(found[0][4][0]))
    except (OSError, UnicodeError, ValueError):
        raise BadAddress(f"{setting} names the host {host!r}, which cannot be resolved") from None
