"""The Connect dialect: unary calls, in JSON or in the wire format.

Streams, compression and trailers of streams are not served in it.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import DecodeError, Message

from postroom.errors import Code
from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.protojson import BLANK, Printer, Reader, Unprintable, parse
from postroom.surfaces.gateway.asgi import JSON, Header, Headers, Receive, Reply, Scope, read_body
from postroom.surfaces.gateway.calls import Call, Limits
from postroom.surfaces.gateway.connection import origin
from postroom.surfaces.gateway.failure import HTTP_OK, Failure, failure, invalid
from postroom.surfaces.gateway.metadata import outgoing, plain_incoming
from postroom.surfaces.gateway.presenter import ignored_header
from postroom.surfaces.gateway.query import parameters

PROTO: Final = "application/proto"
_ENCODINGS: Final = {"json": JSON, "proto": PROTO}
_NOT_FOUND: Final = 404
_METHOD_NOT_ALLOWED: Final = 405
_UNSUPPORTED_TYPE: Final = 415
_TIMEOUT = re.compile(r"[0-9]{1,10}")
_CODES: Final = {
    **{code.value: code.name.lower() for code in Code},
    Code.CANCELLED.value: "canceled",
    2: "unknown",
    11: "out_of_range",
}


@dataclass(frozen=True, slots=True)
class ConnectPresenter:
    """The look of Connect: unset fields left out, codes by name."""

    printer: Printer
    content_type: str = JSON

    def success(self, message: Message, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        """Return the reply for an answer. Raises Unprintable."""
        if self.content_type == PROTO:
            body = message.SerializeToString()
        else:
            body = self.printer.text(message).encode()
        return self.printed(body, outgoing, ignored)

    def printed(self, body: bytes, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        """Return the reply for an answer that is printed already."""
        headers = (*_headers(outgoing), *ignored_header(ignored))
        return Reply(HTTP_OK, body, self.content_type, headers)

    def failure(self, failure: Failure, outgoing: Outgoing) -> Reply:
        """Return the reply for a failure, always in JSON."""
        told: dict[str, Any] = {"code": _CODES.get(failure.status.code, "unknown")}
        if failure.status.message:
            told["message"] = failure.status.message
        if failure.status.details:
            told["details"] = [self._detail(detail) for detail in failure.status.details]
        body = json.dumps(told, ensure_ascii=False).encode()
        return Reply(failure.http, body, JSON, (*_headers(outgoing), *failure.headers))

    def _detail(self, detail: Any) -> dict[str, Any]:
        told = {
            "type": detail.type_url.rpartition("/")[2],
            "value": b64encode(detail.value).decode().rstrip("="),
        }
        try:
            printed = self.printer.plain(detail)
        except Unprintable:
            return told
        del printed["@type"]
        return told | {"debug": printed}


class ConnectDialect:
    """Calls as Connect clients make them."""

    surface = "connect"

    def __init__(
        self, specs: Sequence[Spec], printer: Printer, reader: Reader, limits: Limits
    ) -> None:
        self.failures = ConnectPresenter(printer)
        self._specs = {f"/{spec.full_name}": spec for spec in specs}
        self._printer = printer
        self._reader = reader
        self._limits = limits

    def is_spoken(self, scope: Scope, headers: Headers) -> bool:
        """Tell whether a request is in this dialect."""
        is_versioned = bool(headers.all("connect-protocol-version"))
        if scope["method"] == "GET":
            is_marked = is_versioned or b"connect=v1" in scope["query_string"].split(b"&")
            return is_marked and scope["path"] in self._specs
        content_type = _media_type(headers)
        return (
            is_versioned or content_type == PROTO or content_type.startswith("application/connect+")
        )

    async def read(self, scope: Scope, headers: Headers, receive: Receive) -> Call:
        """Make the call. Raises Failure, JsonInvalid, TooLarge and Disconnected."""
        spec = self._specs.get(scope["path"])
        if spec is None:
            raise failure(Code.UNIMPLEMENTED, "no such method; check the path", _NOT_FOUND)
        _check_method(scope["method"], spec)
        metadata, left = plain_incoming(headers), _time_left(headers)
        beside = Incoming(metadata, left, *origin(scope, headers), self.surface)
        if scope["method"] == "GET":
            content_type, body = _from_query(scope["query_string"].decode("latin-1"))
        else:
            content_type = _media_type(headers)
            _check_type(content_type, spec, headers)
            body = await read_body(receive, headers, self._limits.of(spec.max_request_bytes))
        message, ignored = self._decode(spec, content_type, body)
        return Call(spec, message, beside, ignored, ConnectPresenter(self._printer, content_type))

    def _decode(self, spec: Spec, content_type: str, body: bytes) -> tuple[Message, list[str]]:
        message = spec.request_class()
        if content_type == PROTO:
            try:
                message.ParseFromString(body)
            except DecodeError:
                raise invalid(
                    f"the body is not a {spec.input.full_name}; check its encoding"
                ) from None
            return message, []
        value = parse(body, whole=True)
        if value is BLANK:
            raise invalid("the body is empty, which is not JSON; send {}")
        return message, self._reader.read(value, message, strict=self._limits.strict_json)


def _check_method(method: str, spec: Spec) -> None:
    allowed = ("GET", "POST") if spec.reads_only else ("POST",)
    if method not in allowed:
        told = f"{method} is not allowed here; use {' or '.join(allowed)}"
        raise failure(Code.UNIMPLEMENTED, told, _METHOD_NOT_ALLOWED).with_headers(
            ("allow", ", ".join(allowed))
        )


def _check_type(content_type: str, spec: Spec, headers: Headers) -> None:
    version = headers.first("connect-protocol-version")
    if version not in ("", "1"):
        raise invalid(f"connect-protocol-version must be 1, not {version!a:.20}")
    streams = spec.streams_requests or spec.streams_responses
    if streams or content_type not in _ENCODINGS.values():
        told = "streams are served as lines of JSON or by gRPC" if streams else "send JSON or proto"
        accepted = ("accept-post", ", ".join(_ENCODINGS.values()))
        raise failure(Code.UNIMPLEMENTED, told, _UNSUPPORTED_TYPE).with_headers(accepted)
    _check_compression(headers.first("content-encoding"))


def _check_compression(name: str) -> None:
    if name not in ("", "identity"):
        raise failure(Code.UNIMPLEMENTED, f"{name!a:.20} is not supported; send it uncompressed")


def _from_query(text: str) -> tuple[str, bytes]:
    query = dict(parameters(text))
    content_type = _ENCODINGS.get(query.get("encoding", ""))
    if content_type is None:
        raise failure(Code.UNIMPLEMENTED, "encoding must be json or proto", _UNSUPPORTED_TYPE)
    if "message" not in query:
        raise invalid("message is missing from the query; give it, if need be with base64=1")
    _check_compression(query.get("compression", ""))
    message = query["message"].encode("utf-8", "surrogateescape")
    if query.get("base64") != "1":
        return content_type, message
    bare = message.rstrip(b"=")
    try:
        return content_type, b64decode(bare + b"=" * (-len(bare) % 4), b"-_", validate=True)
    except ValueError:
        raise invalid("message is not URL-safe base64; encode it again") from None


def _time_left(headers: Headers) -> float | None:
    told = headers.first("connect-timeout-ms")
    if not told:
        return None
    if not _TIMEOUT.fullmatch(told):
        raise invalid(f"connect-timeout-ms must be up to 10 digits, not {told!a:.20}")
    return int(told) / 1000


def _media_type(headers: Headers) -> str:
    return headers.first("content-type").partition(";")[0].strip().lower()


def _headers(given: Outgoing) -> list[Header]:
    return [*outgoing(given.headers, ""), *outgoing(given.trailers, "trailer-")]
