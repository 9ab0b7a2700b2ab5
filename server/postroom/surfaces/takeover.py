"""The outermost gRPC interceptor: it parses requests and translates every error.

grpc.aio answers a request that it cannot parse, and any exception, with UNKNOWN and
the internal text. So parsing and errors are taken out of its hands, for every
service on the server.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import code_pb2
from grpc_status import rpc_status

from postroom.errors import Code, Refusal, StoreRefusal
from postroom.rpc.status import refusal_of, status

Deserializer = Callable[[bytes], Message]
Serializer = Callable[[Any], bytes]


class Takeover(grpc.aio.ServerInterceptor):  # type: ignore[misc,unused-ignore]
    """Wraps each handler once and remembers it."""

    def __init__(self) -> None:
        self._wrapped: dict[str, Any] = {}
        self._streams: set[asyncio.Task[Any]] = set()
        self._ending = False

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Return the wrapped handler of a method, None for an unknown one."""
        method = handler_call_details.method
        wrapped = self._wrapped.get(method)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            wrapped = self._wrapped[method] = self._wrap(handler)
        return wrapped

    def end_streams(self) -> None:
        """End every open stream with UNAVAILABLE; a stop would wait for them."""
        self._ending = True
        for task in self._streams:
            task.cancel()

    def _wrap(self, handler: Any) -> Any:
        parse = handler.request_deserializer
        if handler.unary_unary:
            answer = _unary(handler.unary_unary, parse, handler.response_serializer)
            return handler._replace(
                request_deserializer=None, response_serializer=None, unary_unary=answer
            )
        for kind in ("unary_stream", "stream_stream"):
            behavior = getattr(handler, kind)
            if behavior:
                wrapped = self._stream(behavior, parse, many=kind == "stream_stream")
                return handler._replace(request_deserializer=None, **{kind: wrapped})
        return handler

    def _stream(self, behavior: Any, parse: Deserializer, *, many: bool) -> Any:
        def parsed(raw: Any) -> Any:
            return _parse_each(raw, parse) if many else _parse(raw, parse)

        async def generate(raw: Any, context: Any) -> AsyncIterator[Message]:
            with self._open(context):
                try:
                    async for message in behavior(parsed(raw), context):
                        yield message
                except (Exception, asyncio.CancelledError) as error:
                    await self._end(context, error)

        async def write(raw: Any, context: Any) -> None:
            with self._open(context):
                try:
                    await behavior(parsed(raw), context)
                except (Exception, asyncio.CancelledError) as error:
                    await self._end(context, error)

        return generate if inspect.isasyncgenfunction(behavior) else write

    def _open(self, context: Any) -> "_Open":
        del context
        return _Open(self._streams)

    async def _end(self, context: Any, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError):
            if not self._ending:
                raise error
            error = StoreRefusal(
                "the server is stopping; open the stream again", Code.UNAVAILABLE, "STOPPING"
            )
        await _abort(context, error)


class _Open:
    """Counts the current task among the open streams."""

    def __init__(self, streams: set[asyncio.Task[Any]]) -> None:
        self._streams = streams
        self._task = asyncio.current_task()

    def __enter__(self) -> None:
        if self._task:
            self._streams.add(self._task)

    def __exit__(self, *_: object) -> None:
        if self._task:
            self._streams.discard(self._task)


def _unary(behavior: Any, parse: Deserializer, serialize: Serializer | None) -> Any:
    async def answer(raw: bytes, context: Any) -> bytes:
        try:
            response = await behavior(_parse(raw, parse), context)
            return serialize(response) if serialize else response
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await _abort(context, error)
            raise

    return answer


def _parse(raw: bytes, parse: Deserializer) -> Message:
    try:
        return parse(raw)
    except Exception:
        raise Refusal(
            "the request is not a valid message of this method: its bytes or its text are "
            "damaged; text must be UTF-8",
            Code.INVALID_ARGUMENT,
            "BAD_REQUEST",
        ) from None


async def _parse_each(raw: AsyncIterator[bytes], parse: Deserializer) -> AsyncIterator[Message]:
    async for one in raw:
        yield _parse(one, parse)


async def _abort(context: Any, error: BaseException) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    told = status(refusal_of(error))
    assert told.code != code_pb2.UNKNOWN
    await context.abort_with_status(rpc_status.to_status(told))
