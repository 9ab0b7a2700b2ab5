"""Text that is no text, sent over gRPC to a server in this process."""

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc
import pytest

from postroom.storage.store import Store
from postroom.surfaces.wire import Wire
from tests.operations.tables import contents
from tests.room import Room

SEND = "/agent.v1.AgentService/SendMail"
BAD = [
    b"\xff\xfe",
    b"\x0a\x02\xff\xfe",
    b"\x12\x03\xed\xa0\x80",
    b"\x12\x02\xc0\x80",
    b"\x0a\x09x",
    b"\x0a\x04alfa\x12\x02a\x00",
]


async def _codes_of(room: Room, bodies: Sequence[bytes]) -> list[grpc.StatusCode]:
    wire = Wire(room.registry)
    port = wire.bind("127.0.0.1:0")
    await wire.start()
    codes = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        send: Any = channel.unary_unary(SEND)
        for body in bodies:
            call = send(body, timeout=10)
            codes.append(await call.code())
            assert "Traceback" not in await call.details()
    await wire.stop(0)
    return codes


def test_c47_bytes_that_are_no_utf_8_are_an_invalid_argument_and_store_nothing(
    room: Room, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    room.agent("alfa")
    before = contents(store)
    codes = asyncio.run(_codes_of(room, BAD))
    assert codes == [grpc.StatusCode.INVALID_ARGUMENT] * len(BAD)
    assert contents(store) == before
    assert not [record for record in caplog.records if record.name.startswith("postroom")]
