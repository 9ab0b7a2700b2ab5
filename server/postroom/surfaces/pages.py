"""Documents that do not change while the server runs, such as /openapi.json."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

App = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Page:
    """A document and the headers that it needs."""

    content: bytes
    content_type: str
    policy: str = "default-src 'none'; frame-ancestors 'none'"


class Pages:
    """Answers GET and HEAD of its paths, and hands everything else on."""

    def __init__(self, app: App, pages: Mapping[str, Page]) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI entry."""
        asked = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        page = self._pages.get(scope["path"]) if asked else None
        if page is None:
            await self._app(scope, receive, send)
            return
        headers = [
            (b"content-type", page.content_type.encode()),
            (b"content-length", str(len(page.content)).encode()),
            (b"content-security-policy", page.policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        shown = b"" if scope["method"] == "HEAD" else page.content
        await send({"type": "http.response.body", "body": shown})
