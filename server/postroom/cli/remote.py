"""A door to a running server over its JSON routes, on an event loop."""

from collections.abc import AsyncIterator, Sequence
from typing import Final, Self

import httpx2
from google.protobuf.message import Message

from postroom.cli.certificates import context
from postroom.cli.environment import Client
from postroom.cli.refusals import lost, refusal, stranger, unreachable
from postroom.errors import Code, Refusal, RequestTooLarge
from postroom.rpc import protojson
from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import SESSION

_SECONDS: Final = 30.0
_CONNECT_SECONDS: Final = 5.0
# Above what the server takes for "as long as you think right".
_WAIT_SECONDS: Final = 60
# The server's own word on a missed deadline says more than ours, so it gets a moment.
_GRACE: Final = 1.0
_OK: Final = 200


class RemoteDoor:
    """Calls the methods of one server. Use it in `async with`."""

    def __init__(
        self,
        specs: Sequence[Spec],
        client: Client,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._specs = specs
        self._url = client.url
        self._printer = protojson.Printer(unset=False)
        # A proxy set for the world outside is no way to this server.
        verify = context(client.certificates) if client.url.startswith("https:") else False
        self._http = httpx2.AsyncClient(transport=transport, trust_env=False, verify=verify)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    @property
    def specs(self) -> Sequence[Spec]:
        """See Door.specs."""
        return self._specs

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """See Door.call. Nothing is repeated here."""
        del outgoing
        answer = await self._post(spec, request, incoming)
        if answer.status_code != _OK:
            raise refusal(answer.content, answer.status_code, self._url)
        return self._response(spec, answer.content)

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """See Door.call_wire."""
        return (await self.call(spec, request, incoming, outgoing)).SerializeToString()

    def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """No tool streams."""
        del request, incoming, outgoing
        told = f"{spec.name} streams, which this way to the server does not"
        raise Refusal(told, Code.UNIMPLEMENTED, "NO_STREAMS")

    async def answers(self) -> bool:
        """Whether anything takes connections at the server's address."""
        try:
            await self._http.get(f"{self._url}/healthz", timeout=_CONNECT_SECONDS)
        except httpx2.ConnectError:
            return False
        except httpx2.HTTPError:
            return True
        return True

    async def _post(self, spec: Spec, request: Message, incoming: Incoming) -> httpx2.Response:
        seconds = patience(request)
        content = self._printer.text(request).encode()
        if len(content) > spec.max_request_bytes:
            raise RequestTooLarge(len(content), spec.max_request_bytes)
        try:
            return await self._http.post(
                f"{self._url}/{spec.full_name}",
                content=content,
                headers=_headers(incoming, seconds),
                timeout=httpx2.Timeout(seconds + _GRACE, connect=_CONNECT_SECONDS),
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise unreachable(self._url) from error
        except httpx2.TimeoutException as error:
            raise lost(self._url, f"did not answer within {seconds:g} s", timed_out=True) from error
        except httpx2.HTTPError as error:
            raise lost(self._url, "broke off before the whole answer") from error

    def _response(self, spec: Spec, content: bytes) -> Message:
        try:
            value = protojson.parse(content, whole=True)
            message, ignored = protojson.read(value, spec.response_class)
        except protojson.JsonInvalid as error:
            raise stranger(self._url, f"its answer is no {spec.output.name}") from error
        # A newer server may add fields, but it never leaves all of ours out.
        if not value or len(ignored) == len(value):
            raise stranger(self._url, f"its answer is no {spec.output.name}")
        return message


def patience(request: Message) -> float:
    """How long an answer may take: the wait that the request asks for comes on top."""
    if "timeout_seconds" not in request.DESCRIPTOR.fields_by_name:
        return _SECONDS
    asked: int = getattr(request, "timeout_seconds")  # noqa: B009 - only some requests have it
    return _SECONDS + (asked if asked > 0 else _WAIT_SECONDS)


def _headers(incoming: Incoming, seconds: float) -> list[tuple[str, str]]:
    identity = [(key, text) for key, text in incoming.metadata if isinstance(text, str)]
    if incoming.session:
        identity.append((SESSION, incoming.session))
    return [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("grpc-timeout", f"{min(round(seconds * 1000), 99_999_999)}m"),
        *identity,
    ]
