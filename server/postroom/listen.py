"""Addresses to listen on, and which of them only this machine can reach."""

import ipaddress
import socket
from dataclasses import dataclass

_LARGEST_PORT = 65535


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


def loopback(text: str, setting: str) -> Address:
    """Read HOST:PORT. Raises BadAddress for any host beyond this machine.

    Without authentication whoever reaches the port may call as anybody, so only
    loopback addresses are allowed. The resolved address counts, never the name.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > _LARGEST_PORT:
        raise BadAddress(f"{setting} is {text!r}; give HOST:PORT, such as 127.0.0.1:8787")
    literal = _resolve(host.removeprefix("[").removesuffix("]"), setting)
    if not literal.is_loopback:
        raise BadAddress(
            f"{setting} is {text!r}, which other machines can reach, and this server has no way "
            "to prove who calls; listen on a loopback address such as 127.0.0.1"
        )
    return Address(str(literal), int(port))


def _resolve(host: str, setting: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    if host == "localhost":
        # Resolving it could give ::1 while another server holds 127.0.0.1.
        host = "127.0.0.1"
    if host in ("", "*"):
        host = "0.0.0.0"  # noqa: S104 - only to be refused with a clear text
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return ipaddress.ip_address(found[0][4][0])
    except (OSError, UnicodeError):
        raise BadAddress(f"{setting} names the host {host!r}, which cannot be resolved") from None
