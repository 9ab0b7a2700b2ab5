"""The time that a caller gives a call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from postroom.errors import Code
from postroom.surfaces.gateway.failure import Failure, failure

_FOR_EVER = nullcontext()


def check_in_time(seconds: float | None) -> None:
    """Raise Failure when no time is left, before the call is begun."""
    if seconds is not None and seconds <= 0:
        raise _late()


def within(seconds: float | None) -> AbstractAsyncContextManager[None]:
    """Cancel the body after that many seconds. Raises Failure when they are over."""
    return _FOR_EVER if seconds is None else _limited(seconds)


@asynccontextmanager
async def _limited(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if limit.expired():
            raise _late() from None
        raise


def _late() -> Failure:
    told = "the deadline passed; allow more time in Grpc-Timeout"
    return failure(Code.DEADLINE_EXCEEDED, told)
