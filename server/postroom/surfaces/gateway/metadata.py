"""HTTP headers to call metadata and back."""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from postroom.rpc.door import Metadata
from postroom.surfaces.gateway.asgi import Header, Headers
from postroom.surfaces.gateway.failure import invalid

_PREFIX: Final = "grpc-metadata-"
_PERMANENT: Final = frozenset(
    (
        "accept",
        "accept-charset",
        "accept-language",
        "accept-ranges",
        "authorization",
        "cache-control",
        "content-type",
        "cookie",
        "date",
        "expect",
        "from",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-schedule-tag-match",
        "if-unmodified-since",
        "max-forwards",
        "origin",
        "pragma",
        "referer",
        "user-agent",
        "via",
        "warning",
    )
)
# The transport's own names; gRPC servers drop them or refuse the call, and HTTP servers
# take them as their own.
_RESERVED: Final = frozenset(
    (
        "",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "host",
        "keep-alive",
        "server",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    )
)

_NAME = re.compile(r"[a-z0-9._-]+")
_SAFE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_TIMEOUT = re.compile(r"([+-]?[0-9]+)([HMSmun])")
_SECONDS: Final = {"H": 3600, "M": 60, "S": 1, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_LONGEST_TIMEOUT: Final = 18


def incoming(headers: Headers, peer: str, forwarded: frozenset[str]) -> Metadata:
    """Return the metadata that a request carries. Raises Failure for bad base64 in -Bin."""
    found: list[tuple[str, str | bytes]] = []
    for name, value in headers.pairs:
        for key in _keys(name, forwarded):
            if key.endswith("-bin"):
                found.append((key, _decoded(name, value)))
            elif _is_text(value):
                found.append((key, value))
    hops = ", ".join([*headers.all("x-forwarded-for"), *([peer] if peer else [])])
    host = headers.first("x-forwarded-host") or headers.first("host")
    for key, value in (("x-forwarded-for", hops), ("x-forwarded-host", host)):
        if value and _is_text(value):
            found.append((key, value))
    return found


def plain_incoming(headers: Headers) -> Metadata:
    """Return the headers themselves as metadata. Raises Failure for bad base64 in -bin."""
    found: list[tuple[str, str | bytes]] = []
    for name, value in headers.pairs:
        if not _NAME.fullmatch(name) or _is_reserved(name) or name.startswith("connect-"):
            continue
        if name.endswith("-bin"):
            found.append((name, _decoded(name, value)))
        elif _is_text(value):
            found.append((name, value))
    return found


def time_left(headers: Headers) -> float | None:
    """Return the seconds that Grpc-Timeout leaves, None for no limit. Raises Failure."""
    told = headers.first("grpc-timeout")
    if not told:
        return None
    found = _TIMEOUT.fullmatch(told)
    if not found or len(found[1]) > _LONGEST_TIMEOUT:
        raise invalid(f"invalid grpc-timeout: {told}")
    # Zero stands for no limit, as it does in the gateway.
    return int(found[1]) * _SECONDS[found[2]] or None


def outgoing(metadata: Iterable[tuple[str, str | bytes]], prefix: str) -> list[Header]:
    """Return headers for metadata; what no header may hold is left out."""
    found = []
    for name, value in metadata:
        key = name.lower()
        if isinstance(value, bytes):
            value = base64.b64encode(value).decode()  # noqa: PLW2901 - from here on it is text
        if _NAME.fullmatch(key) and not _is_reserved(key) and _SAFE.fullmatch(value):
            found.append((f"{prefix}{key}", value))
    return found


def header_text(text: str) -> str | None:
    """Return text as a header's value, control characters as blanks; None if it is not Latin-1."""
    blanked = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)
    return blanked if _SAFE.fullmatch(blanked) else None


@lru_cache(maxsize=256)
def _keys(name: str, forwarded: frozenset[str]) -> tuple[str, ...]:
    return tuple(_each_key(name, forwarded))


def _each_key(name: str, forwarded: frozenset[str]) -> Iterator[str]:
    if name in _PERMANENT:
        yield f"grpcgateway-{name}"
    if name == "authorization" or name in forwarded:
        yield name
    if name.startswith(_PREFIX):
        key = name.removeprefix(_PREFIX)
        if _NAME.fullmatch(key) and not _is_reserved(key):
            yield key


def _is_text(value: str) -> bool:
    """Tell whether a value has characters from blank to tilde only."""
    return value.isascii() and value.isprintable()


def _is_reserved(key: str) -> bool:
    return key in _RESERVED or key.startswith("grpc-")


def _decoded(name: str, value: str) -> bytes:
    # Padded to the full length, or not padded at all: what is half padded gets too much.
    padding = "===" if "=" in value and len(value) % 4 else "=" * (-len(value) % 4)
    try:
        return base64.b64decode(value + padding, validate=True)
    except (binascii.Error, ValueError) as error:
        raise invalid(f"invalid binary header {name.title()}: {error}") from None
