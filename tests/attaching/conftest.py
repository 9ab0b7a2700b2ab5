"""One set of workers for all conversions of a module."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from postroom.attaching.pool import Workers
from postroom.attachment import StoredFile

Convert = Callable[..., StoredFile]


@pytest.fixture(scope="module")
def convert() -> Iterator[Convert]:
    """Convert in a real worker, from a test that is no coroutine."""
    workers = Workers()
    yield lambda data, **options: asyncio.run(workers.convert(data, **options))
    asyncio.run(workers.close())
