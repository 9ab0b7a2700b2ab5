"""The head of an HTTP request: as much as gRPC takes, and no more (reliability.md, P42)."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from postroom.errors import Code, Refusal
from postroom.rpc.protojson import encode
from postroom.rpc.status import status

_MAX_HEAD = 16 * 1024


class HeadTooLarge(Exception):
    """The headers of a request have more bytes than are allowed."""


class LimitedHead(HttpToolsProtocol):
    """uvicorn's parser would collect headers without end."""

    _is_in_head = False
    _is_refused = False
    _waited = 0

    def data_received(self, data: bytes) -> None:
        """Parse what came in, while it is not too much."""
        self._waited += len(data)
        super().data_received(data)
        if self._is_in_head and self._waited > _MAX_HEAD and not self.transport.is_closing():
            self._is_refused = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Count from here."""
        self._is_in_head, self._waited = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Hand the request on. Raises HeadTooLarge, which ends the connection."""
        self._is_in_head = False
        if sum(len(name) + len(value) for name, value in self.headers) > _MAX_HEAD:
            self._is_refused = True
            raise HeadTooLarge
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse the connection's last request."""
        if self._is_refused:
            self.transport.write(_refusal())
            self.transport.close()
        else:
            super().send_400_response(msg)


def _refusal() -> bytes:
    told = f"the headers have more than {_MAX_HEAD:,} bytes; send less beside the body"
    body = encode(status(Refusal(told, Code.RESOURCE_EXHAUSTED, "HEADERS_TOO_LARGE")))
    head = (
        "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
