"""Cancel a call when its client goes away."""

import asyncio
from types import TracebackType

from postroom.surfaces.gateway.asgi import Receive


class CancelOnHangup:
    """Cancels the body of an `async with` when the client disconnects, and swallows that."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._gone = False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._watch = asyncio.ensure_future(self._wait())

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._watch.cancel()
        if not self._gone:
            return False
        # Anything that the cancelled call raises has nobody left to hear it.
        still_cancelled = self._task.uncancel() > 0
        return not still_cancelled

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()
