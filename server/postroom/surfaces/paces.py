"""How slowly an HTTP client may send (reliability.md, P34).

A request that does not arrive in time ends its connection, so that nobody can hold
many connections open at no cost of their own.
"""

import asyncio
import socket

from postroom.surfaces.heads import LimitedHead

# For the first byte of a request, for its whole head, and for its whole body.
FIRST_SECONDS, HEAD_SECONDS, BODY_SECONDS = 120.0, 10.0, 30.0
# A peer that is gone without a word is noticed after these: idle, between tries, tries.
_KEEPALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3))


class TimedRequests(LimitedHead):
    """Waits so long for each part of a request. An answer may take as long as it likes."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        _notice_the_dead(transport.get_extra_info("socket"))
        self._expect(FIRST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._expect(None)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Wait for the head."""
        self._expect(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        self._expect(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for nothing: all of the request is there."""
        self._expect(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, which uvicorn does until any byte comes."""
        super().on_response_complete()
        if self._late is None and not self.transport.is_closing():
            self._expect(FIRST_SECONDS)

    def _expect(self, seconds: float | None) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = None
        if seconds is not None:
            self._late = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        # A request that was sent behind another one is not read while that is answered.
        if self._is_in_head and self.cycle and not self.cycle.response_complete:
            self._expect(HEAD_SECONDS)
        else:
            self.transport.close()


def _notice_the_dead(link: socket.socket) -> None:
    if link.family == socket.AF_UNIX:
        return
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        # Not every system has all of them under these names.
        if hasattr(socket, name):
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
