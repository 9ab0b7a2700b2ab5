"""Between gRPC and every service: parses requests and translates every error.

grpc.aio answers a request that it cannot parse, and any exception, with UNKNOWN and
the internal text. So parsing and errors are taken out of its hands, for every
service on the server. It is no interceptor, because those cost each call a tenth.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import code_pb2
from grpc_status import rpc_status

from postroom.errors import Code, Refusal, RequestTooLarge, stopping
from postroom.rpc.contract import MAX_REQUEST_BYTES
from postroom.rpc.door import TurnedAway, nobody_hears
from postroom.rpc.status import refusal_of, status
from postroom.surfaces.peer import Admit, host_of

Deserializer = Callable[[bytes], Message]
Serializer = Callable[[Any], bytes]


class Takeover(grpc.GenericRpcHandler):  # type: ignore[misc,unused-ignore]
    """The one handler of a server; services are added to it as to a server."""

    def __init__(
        self,
        admit: Admit | None = None,
        limits: Mapping[str, int] = MappingProxyType({}),
        turned_away: TurnedAway = nobody_hears,
    ) -> None:
        """Make it; `admit` raises Refusal for a call that may not even begin.

        `limits` are the bytes that a request may have, by method as gRPC names it; 4 MiB
        where none is given. `turned_away` hears of what may not begin, and of requests that
        cannot be read.
        """
        self._admit = admit or _everybody
        self._limits = limits
        self._turned_away = turned_away
        self._services: list[Any] = []
        self._wrapped: dict[str, Any] = {}
        self._streams: set[asyncio.Task[Any]] = set()
        self._ending = False
        self._may_refuse = asyncio.Event()
        self._refusing: Any = grpc.unary_unary_rpc_method_handler(self._refuse)

    def add_generic_rpc_handlers(self, handlers: Iterable[Any]) -> None:
        """Add services; what registers a generated servicer calls this."""
        self._services += handlers

    def add_registered_method_handlers(self, service: str, handlers: Any) -> None:
        """Called beside the above with the same handlers."""

    def service(self, handler_call_details: Any) -> Any:
        """Return the wrapped handler of a method, None for an unknown one."""
        if self._ending:
            return self._refusing
        method = handler_call_details.method
        wrapped = self._wrapped.get(method)
        if wrapped is None:
            found = (service.service(handler_call_details) for service in self._services)
            handler = next((each for each in found if each is not None), None)
            if handler is None:
                return None
            most = self._limits.get(method, MAX_REQUEST_BYTES)
            wrapped = self._wrapped[method] = self._wrap(handler, most)
        return wrapped

    def end_streams(self) -> None:
        """End every open stream with UNAVAILABLE, and keep new calls waiting."""
        self._ending = True
        for task in self._streams:
            task.cancel()

    def refuse(self) -> None:
        """End the calls that were kept waiting with UNAVAILABLE."""
        self._may_refuse.set()

    async def _refuse(self, _: bytes, context: Any) -> None:
        await self._may_refuse.wait()
        await self._turn_away(context, stopping())

    async def _turn_away(self, context: Any, refusal: Refusal) -> None:
        self._turned_away("grpc", refusal.code, refusal.reason, host_of(context.peer()))
        await _abort(context, refusal)

    def _wrap(self, handler: Any, most: int) -> Any:
        parse = _bounded(handler.request_deserializer, most)
        if handler.unary_unary:
            answer = self._unary(handler.unary_unary, parse, handler.response_serializer)
            return handler._replace(
                request_deserializer=None, response_serializer=None, unary_unary=answer
            )
        for kind in ("unary_stream", "stream_stream"):
            behavior = getattr(handler, kind)
            if behavior:
                wrapped = self._stream(behavior, parse, many=kind == "stream_stream")
                return handler._replace(request_deserializer=None, **{kind: wrapped})
        return handler

    def _unary(self, behavior: Any, parse: Deserializer, serialize: Serializer | None) -> Any:
        async def answer(raw: bytes, context: Any) -> bytes:
            try:
                self._admit(context)
                request = _parse(raw, parse)
            except Refusal as refusal:
                await self._turn_away(context, refusal)
                raise
            try:
                response = await behavior(request, context)
                return serialize(response) if serialize else response
            except grpc.aio.AbortError:
                raise
            except Exception as error:
                await _abort(context, error)
                raise

        return answer

    def _stream(self, behavior: Any, parse: Deserializer, *, many: bool) -> Any:
        # One form for both kinds of handlers: a generator's messages would be written by
        # the library, and a stop that breaks off a write leaves the call open.
        async def answer(raw: Any, context: Any) -> None:
            steady = _Steady(context)
            with _Open(self._streams):
                try:
                    self._admit(context)
                    request = _parse_each(raw, parse) if many else _parse(raw, parse)
                except Refusal as refusal:
                    await self._turn_away(context, refusal)
                    raise
                try:
                    if inspect.isasyncgenfunction(behavior):
                        async for message in behavior(request, steady):
                            await steady.write(message)
                    else:
                        await behavior(request, steady)
                except (Exception, asyncio.CancelledError) as error:
                    await self._end(context, error)

        return answer

    async def _end(self, context: Any, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError):
            if not self._ending:
                raise error
            error = stopping()
        await _abort(context, error)


class _Steady:
    """A call's context that finishes each write that it began, even when cancelled."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Message) -> None:
        """Send one message."""
        writing = asyncio.ensure_future(self._context.write(message))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            with contextlib.suppress(Exception):
                await writing
            raise


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


def _bounded(parse: Deserializer, most: int) -> Deserializer:
    """A parser that refuses what has more bytes; the library's own bound is the largest."""

    def bounded(raw: bytes) -> Message:
        if len(raw) > most:
            raise RequestTooLarge(len(raw), most)
        return parse(raw)

    return bounded


def _parse(raw: bytes, parse: Deserializer) -> Message:
    try:
        return parse(raw)
    except Refusal:
        raise
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


def _everybody(_: Any) -> None:
    """Every call may begin."""
