"""How answers look: status, headers and body. One presenter for each dialect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from postroom.errors import Code
from postroom.rpc.door import Outgoing
from postroom.rpc.protojson import Printer
from postroom.surfaces.gateway.asgi import JSON, Header, Reply
from postroom.surfaces.gateway.failure import HTTP_OK, Failure, printable
from postroom.surfaces.gateway.metadata import header_text, outgoing
from postroom.surfaces.gateway.plain import escaped
from postroom.surfaces.gateway.route import Route

IGNORED = "postroom-ignored-fields"
HTTP_BODY = "google.api.HttpBody"
METADATA = "grpc-metadata-"
_MOST_IGNORED = 1000


class Presenter(Protocol):
    """Turns what a call came to into replies."""

    def success(self, message: Message, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        """Return the reply for an answer. Raises Unprintable."""
        ...

    def printed(self, body: bytes, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        """Return the reply for an answer that is printed already."""
        ...

    def failure(self, failure: Failure, outgoing: Outgoing) -> Reply:
        """Return the reply for a failure."""
        ...


@dataclass(slots=True)
class GatewayPresenter:
    """The look of grpc-gateway. Without a route it can present failures only."""

    printer: Printer
    route: Route | None = None

    def success(self, message: Message, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        assert self.route is not None
        if is_http_body(message):
            return Reply(HTTP_OK, *http_body(message), self.headers(outgoing, ignored))
        text = self.route.answer(message, self.printer)
        return self.printed(text.encode(), outgoing, ignored)

    def printed(self, body: bytes, outgoing: Outgoing, ignored: Sequence[str]) -> Reply:
        return Reply(HTTP_OK, body, JSON, self.headers(outgoing, ignored))

    def failure(self, failure: Failure, outgoing: Outgoing) -> Reply:
        body = self.status_text(failure).encode()
        beside = failure.headers or _challenge(failure)
        return Reply(failure.http, body, JSON, (*beside, *self.headers(outgoing)))

    def headers(self, given: Outgoing, ignored: Sequence[str] = ()) -> tuple[Header, ...]:
        """Return the headers beside an answer."""
        if not given.headers and not ignored:
            return ()
        return (*outgoing(given.headers, METADATA), *ignored_header(ignored))

    def status_text(self, failure: Failure) -> str:
        """Return the status as JSON."""
        return self.printer.text(printable(failure.status, self.printer))


class LinePresenter(GatewayPresenter):
    """The look of a stream: one JSON value per line."""

    def line(self, message: Message) -> bytes:
        """Return one message of a stream. Raises Unprintable."""
        assert self.route is not None
        if is_http_body(message):
            return http_body(message)[0] + b"\n"
        return f'{{"result":{escaped(self.route.answer(message, self.printer))}}}\n'.encode()

    def line_type(self, message: Message) -> str:
        """Return the content type of a stream that begins with this message."""
        return http_body(message)[1] if is_http_body(message) else JSON

    def error_line(self, failure: Failure) -> bytes:
        """Return the last line of a stream that failed."""
        return f'{{"error":{escaped(self.status_text(failure))}}}\n'.encode()


def ignored_header(paths: Sequence[str]) -> list[Header]:
    """Name the dropped fields in a header of at most about 1000 characters."""
    told = ""
    for path in paths:
        quoted = quote(path, safe="[]@$")
        if len(told) + len(quoted) > _MOST_IGNORED:
            told += ",..."
            break
        told += f",{quoted}"
    return [(IGNORED, told.removeprefix(","))] if told else []


def is_http_body(message: Message) -> bool:
    """Tell whether the message is raw content with a type of its own."""
    descriptor: Any = message.DESCRIPTOR
    return is_raw(descriptor)


def is_raw(descriptor: Descriptor) -> bool:
    """Tell whether messages of a type are sent as they are, and not as JSON."""
    return bool(descriptor.full_name == HTTP_BODY)


def http_body(message: Message) -> tuple[bytes, str]:
    """Return the raw content and its type."""
    content: bytes = getattr(message, "data")  # noqa: B009 - HttpBody
    content_type: str = getattr(message, "content_type")  # noqa: B009 - HttpBody
    return content, header_text(content_type) or "application/octet-stream"


def _challenge(failure: Failure) -> list[Header]:
    """What grpc-gateway makes of a status from elsewhere: its message."""
    if failure.status.code != Code.UNAUTHENTICATED:
        return []
    text = header_text(failure.status.message)
    return [] if text is None else [("www-authenticate", text)]
