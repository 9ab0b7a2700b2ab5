"""Handlers that do nothing: the size of the answer is the last part of the path."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc

SERVICE = "bench.Empty"
ROUTE = "/bench-empty/"


class EmptyMethods(grpc.GenericRpcHandler):
    """Bytes in, constant bytes out, for any size that is asked for."""

    def __init__(self) -> None:
        self._handlers: dict[str, Any] = {}

    def service(self, handler_call_details: Any) -> Any:
        """Find the handler of /bench.Empty/SIZE."""
        method = handler_call_details.method
        handler = self._handlers.get(method)
        if handler is None:
            handler = self._handlers[method] = _method(method)
        return handler


def _method(path: str) -> Any:
    service, size = path.removeprefix("/").split("/")
    if service != SERVICE:
        return None
    answer = bytes(int(size))

    async def behavior(request: bytes, context: Any) -> bytes:
        del request, context
        return answer

    return grpc.unary_unary_rpc_method_handler(behavior)


class EmptyRoutes:
    """Reads the body and answers constant bytes; hands every other path on."""

    def __init__(self, app: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._app = app
        self._answers: dict[str, tuple[list[tuple[bytes, bytes]], bytes]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI entry."""
        path = scope["path"]
        if not path.startswith(ROUTE):
            await self._app(scope, receive, send)
            return
        while (await receive()).get("more_body", False):
            pass
        headers, answer = self._answers.get(path) or self._new(path)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _new(self, path: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
        size = path.removeprefix(ROUTE)
        headers = [(b"content-type", b"application/json"), (b"content-length", size.encode())]
        new = self._answers[path] = (headers, b" " * int(size))
        return new
