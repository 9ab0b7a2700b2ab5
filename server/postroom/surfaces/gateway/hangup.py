"""Cancel a call when its client goes away."""

import asyncio
from types import TracebackType
from typing import Final

from postroom.surfaces.gateway.asgi import Receive

# Most calls are over sooner, and a watch costs as much as all the rest of the surface.
_FIRST_LOOK_SECONDS: Final = 0.1


class CancelOnHangup:
    """Cancels the body of a `with` when the client disconnects, and swallows that.

    It looks for the first time after a while; a client that left before is noticed then.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._watch: asyncio.Future[None] | None = None
        self._gone = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_FIRST_LOOK_SECONDS, self._start)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._timer.cancel()
        if self._watch is not None:
            self._watch.cancel()
        if not self._gone:
            return False
        # Anything that the cancelled call raises has nobody left to hear it.
        still_cancelled = self._task.uncancel() > 0
        return not still_cancelled

    def _start(self) -> None:
        self._watch = asyncio.ensure_future(self._wait())

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()
