"""Proxy variables, which other programs' calls to the server follow."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network

from postroom.cli.doctor.finding import Finding, ok, warning


def proxies(variables: Mapping[str, str], host: str) -> Finding:
    """Judge the variables for calls to a host. Their values may hold a password: never shown."""
    skipped = ",".join(text for name, text in variables.items() if name.lower() == "no_proxy")
    set_ = sorted(name for name in variables if name.lower() != "no_proxy")
    if not set_:
        return ok("no proxy variable is set")
    if is_skipped(host, skipped):
        return ok(f"the proxy of {', '.join(set_)} is not used for {host}")
    told = f"{' and '.join(set_)} would send other programs' calls to {host} through a proxy"
    return warning(told, f"add {host} to NO_PROXY and no_proxy")


def is_skipped(host: str, listed: str) -> bool:
    """Whether a list such as NO_PROXY names the host, or a domain or network that it is in."""
    entries = (entry.strip().lower() for entry in listed.split(","))
    return any(_covers(entry, host.lower()) for entry in entries if entry)


def _covers(entry: str, host: str) -> bool:
    if entry in ("*", host) or host.endswith(f".{entry.lstrip('*').lstrip('.')}"):
        return True
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False
