"""Requests that no generator would make: the limits, and what is only served here or there."""

from tests.interop.gateway.exchange import Request

_JSON = ("Content-Type", "application/json")
_FORM = ("Content-Type", "application/x-www-form-urlencoded")


def edges(path: str, read: str) -> list[Request]:
    """Requests for a `body: "*"` route and for a route of GET."""
    nested = b'{"nope":' + b"[" * 150 + b"]" * 150 + b"}"
    fits = b'{"nope":' + b"[" * 90 + b"]" * 90 + b"}"
    return [
        _post("nested", path, nested),
        _post("nested, but less", path, fits),
        _post("five megabytes", path, b'{"nope":"' + b"x" * 5_000_000 + b'"}'),
        _post("four thousand digits", path, b'{"nope":' + b"9" * 4000 + b"}"),
        _post("grpc", path, b"", ("Content-Type", "application/grpc")),
        _post("connect", path, b"{}", _JSON, ("Connect-Protocol-Version", "1")),
        _post("nineteen digits", path, b"{}", _JSON, ("Grpc-Timeout", "1" * 19 + "n")),
        _post("connection", path, b"{}", _JSON, ("Grpc-Metadata-Connection", "close")),
        _post("no name", path, b"{}", _JSON, ("Grpc-Metadata-", "x")),
        _post("agent", path, b"{}", _JSON, ("Postroom-Agent-Id", "nobody")),
        _post("key", path, b"{}", _JSON, ("Idempotency-Key", "k1")),
        _post("forwarded", path, b"{}", _JSON, ("X-Forwarded-For", "192.0.2.1")),
        _post("forwarded host", path, b"{}", _JSON, ("X-Forwarded-Host", "h.example")),
        _post("two hosts in one", path, b"{}", _JSON, ("Origin", "http://o.example")),
        _post("text", path, b"{}", ("Content-Type", "text/plain")),
        _post("form", read, b"a=b", _FORM),
        _post("form with a charset", read, b"a=b", (_FORM[0], f"{_FORM[1]}; charset=utf-8")),
        _post("long query", f"{path}?{'a=b&' * 5000}", b"{}"),
        _post("many headers", path, b"{}", *(("Grpc-Metadata-X", str(n)) for n in range(50))),
        Request("edge: odd method", "BREW", read),
        Request("edge: lower-case method", "get", read),
        Request("edge: options", "OPTIONS", path),
        Request("edge: read with a body", "GET", read, (_JSON,), b"{" * 50),
        Request("edge: expects", "POST", path, (_JSON, ("Expect", "100-continue")), b"{}"),
    ]


def _post(name: str, path: str, body: bytes, *headers: tuple[str, str]) -> Request:
    return Request(f"edge: {name}", "POST", path, headers or (_JSON,), body)
