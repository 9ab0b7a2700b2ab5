"""/metrics for Prometheus and whoever else reads its form."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from postroom.observe.exposition import Exposition

App = Callable[[Any, Any, Any], Awaitable[None]]

PATH: Final = "/metrics"


class Scrape:
    """Answers GET and HEAD at /metrics, and hands everything else on."""

    def __init__(self, app: App, exposition: Exposition) -> None:
        self._app = app
        self._exposition = exposition

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI entry."""
        is_asked = scope["type"] == "http" and scope["path"] == PATH
        if not is_asked or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        accept = b",".join(value for name, value in scope["headers"] if name == b"accept")
        found = await self._exposition.scrape(accept.decode("latin-1"))
        headers = [
            (b"content-type", found.content_type.encode()),
            (b"content-length", str(len(found.content)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        shown = b"" if scope["method"] == "HEAD" else found.content
        await send({"type": "http.response.body", "body": shown})


async def nothing_else(scope: Any, receive: Any, send: Any) -> None:
    """What a listener answers that serves nothing but /metrics."""
    del receive
    told = f"only {PATH} is here\n".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(told)).encode())]
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else told})
