"""Text that is no text, sent over gRPC to a server in this process."""

import asyncio

import grpc
import pytest

from postroom.storage.store import Store
from postroom.surfaces.wire import Wire
from tests.operations.tables import contents
from tests.room import Room

SEND = "/agent.v1.AgentService/SendMail"
BAD = [b"\xff\xfe", b"\x0a\x02\xff\xfe", b"\x12\x03\xed\xa0\x80", b"\x12\x02\xc0\x80", b"\x0a\x09x"]


async def _code_of(room: Room, body: bytes) -> tuple[grpc.StatusCode, str]:
    wire = Wire(room.registry, reflection=False)
    port = wire.bind("127.0.0.1:0")
    await wire.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await channel.unary_unary(SEND)(body, timeout=10)
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details() or ""
    finally:
        await wire.stop(0)
    raise AssertionError(body)


def test_c47_bytes_that_are_no_utf_8_are_an_invalid_argument_and_store_nothing(
    room: Room, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    room.agent("alfa")
    before = contents(store)
    for body in BAD:
        code, told = asyncio.run(_code_of(room, body))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "Traceback" not in told
    nul = asyncio.run(_code_of(room, b"\x0a\x04alfa\x12\x02a\x00"))
    assert nul[0] is grpc.StatusCode.INVALID_ARGUMENT
    assert contents(store) == before
    assert not caplog.records
