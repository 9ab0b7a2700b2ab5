"""The gateway's dialect: route a request, read it, decode it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import quote

from google.protobuf.message import Message

from postroom.rpc.contract import MAX_REQUEST_BYTES, Binding, Spec
from postroom.rpc.door import Incoming
from postroom.rpc.protojson import Page, Pages, Printer, Reader
from postroom.surfaces.gateway.asgi import Headers, Receive, Scope, read_body
from postroom.surfaces.gateway.connection import origin, peer
from postroom.surfaces.gateway.metadata import incoming, time_left
from postroom.surfaces.gateway.presenter import GatewayPresenter, LinePresenter, Presenter, is_raw
from postroom.surfaces.gateway.query import Parameters, parameters
from postroom.surfaces.gateway.route import WHOLE, Route
from postroom.surfaces.gateway.router import FORM, Match, Router


class Call(NamedTuple):
    """A request that is ready for the door, and the look of its answer.

    `page` prints the answer from its wire form, where that is the quicker way.
    """

    spec: Spec
    message: Message
    incoming: Incoming
    ignored: Sequence[str]
    presenter: Presenter
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What the surface takes in, and how strictly."""

    strict_json: bool
    max_body: int | None
    forwarded_headers: frozenset[str]

    def of(self, method: int) -> int:
        """The bytes that a body may have whose method takes so many."""
        return method if self.max_body is None else min(method, self.max_body)


class Dialect(Protocol):
    """One way to say a call in HTTP."""

    # The surface that its calls come through, as rpc.door.Incoming tells it.
    surface: str

    @property
    def failures(self) -> Presenter:
        """How a request is answered that never became a call."""
        ...

    async def read(self, scope: Scope, headers: Headers, receive: Receive) -> Call:
        """Make the call. Raises Failure, JsonInvalid, TooLarge and Disconnected."""
        ...


@dataclass(slots=True)
class _Received:
    query: str
    match: Match[Route]
    body: bytes
    # Set once the body was read as a form.
    form: Parameters | None

    def parameters(self) -> Parameters:
        """What the query says, or the form. Raises Failure."""
        return parameters(self.query) if self.form is None else self.form


class GatewayDialect:
    """Calls as grpc-gateway takes them."""

    surface = "json"

    def __init__(
        self, specs: Sequence[Spec], printer: Printer, reader: Reader, limits: Limits
    ) -> None:
        self.failures = GatewayPresenter(printer)
        self._router = routes(specs)
        self._printer = printer
        self._pages = _pages(specs, Pages(printer))
        self._reader = reader
        self._limits = limits

    async def read(self, scope: Scope, headers: Headers, receive: Receive) -> Call:
        """Make the call. Raises Failure, JsonInvalid, TooLarge and Disconnected."""
        received = await self._receive(scope, headers, receive)
        route = received.match.route
        # The gateway tells of a bad deadline before anything else.
        left = time_left(headers)
        metadata = incoming(headers, peer(scope), self._limits.forwarded_headers)
        beside = Incoming(metadata, left, *origin(scope, headers), self.surface)
        message, ignored = route.request(
            received.body,
            received.match.variables,
            received.parameters,
            self._reader,
            strict=self._limits.strict_json,
        )
        look = LinePresenter if route.spec.streams_responses else GatewayPresenter
        page = self._pages.get(route.spec.full_name) if route.answers_whole else None
        return Call(route.spec, message, beside, ignored, look(self._printer, route), page)

    async def _receive(self, scope: Scope, headers: Headers, receive: Receive) -> _Received:
        query = scope["query_string"].decode("latin-1")
        method = scope["method"]
        is_form = method == "POST" and headers.first("content-type") == FORM
        override = headers.first("x-http-method-override").upper() if is_form else ""
        body, form = b"", None
        if override:
            # Which method it is for stands in the form itself.
            most = self._limits.of(MAX_REQUEST_BYTES)
            form = _form(await read_body(receive, headers, most), query)
            method = override
        match = self._router.find(method, _path(scope), is_form=is_form)
        if form is None:
            most = self._limits.of(match.route.spec.max_request_bytes)
            body = await read_body(receive, headers, most)
            if match.route.verb != method:
                # A form that fell back to a route of GET.
                body, form = b"", _form(body, query)
        return _Received(query, match, body, form)


def routes(specs: Sequence[Spec]) -> Router[Route]:
    """Make a router for all methods; one without a rule is served as POST /service/method.

    Raises ValueError for a rule that cannot work. Methods that take a stream of
    requests have no JSON form here and are passed over.
    """
    router: Router[Route] = Router()
    taken: set[tuple[str, str, str]] = set()
    for spec in specs:
        if spec.streams_requests:
            continue
        for binding in spec.bindings or (Binding("POST", f"/{spec.full_name}", WHOLE),):
            key = (spec.service, binding.verb, binding.template)
            if key in taken:
                raise ValueError(f"{spec.full_name}: {binding.verb} {binding.template} is taken")
            taken.add(key)
            route = Route(spec, binding)
            router.add(route.verb, route.template, route)
    return router


def _pages(specs: Sequence[Spec], pages: Pages) -> Mapping[str, Page]:
    found = {spec.full_name: pages.of(spec.output) for spec in specs if not is_raw(spec.output)}
    return {name: page for name, page in found.items() if page is not None}


def _form(body: bytes, query: str) -> Parameters:
    return [*parameters(body.decode("latin-1")), *parameters(query)]


def _path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return raw.decode("latin-1") if raw else quote(scope["path"])
