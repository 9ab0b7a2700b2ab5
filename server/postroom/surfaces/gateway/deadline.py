"""The time that a caller gives a call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from postroom.errors import Code
from postroom.surfaces.gateway.failure import failure


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[None]:
    """Cancel the body after that many seconds. Raises Failure when they are over, or were."""
    late = failure(Code.DEADLINE_EXCEEDED, "the deadline passed; allow more time in Grpc-Timeout")
    if seconds is not None and seconds <= 0:
        raise late
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if limit.expired():
            raise late from None
        raise
