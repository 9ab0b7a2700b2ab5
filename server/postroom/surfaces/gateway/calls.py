"""From an HTTP request to a call: route it, read it, decode it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from google.protobuf.message import Message

from postroom.rpc.contract import Binding, Spec
from postroom.rpc.door import Incoming
from postroom.rpc.protojson import Reader
from postroom.surfaces.gateway.asgi import Headers, Receive, Scope, read_body
from postroom.surfaces.gateway.metadata import incoming, time_left
from postroom.surfaces.gateway.query import Parameters, parameters
from postroom.surfaces.gateway.route import WHOLE, Route
from postroom.surfaces.gateway.router import FORM, Match, Router


@dataclass(frozen=True, slots=True)
class Call:
    """A request that is ready for the door."""

    spec: Spec
    message: Message
    incoming: Incoming
    ignored: Sequence[str]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the surface takes in, and how strictly."""

    strict_json: bool
    max_body: int
    forwarded_headers: frozenset[str]


@dataclass(slots=True)
class Received:
    """A request that has found its route. The form is set once the body was read as one."""

    headers: Headers
    query: str
    match: Match[Route]
    body: bytes
    form: Parameters | None


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


async def receive_request(
    router: Router[Route], scope: Scope, receive: Receive, max_body: int
) -> Received:
    """Find the route and read the body. Raises Failure, TooLarge and Disconnected."""
    headers = Headers(scope["headers"])
    query = scope["query_string"].decode("latin-1")
    method = scope["method"]
    is_form = method == "POST" and headers.first("content-type") == FORM
    override = headers.first("x-http-method-override").upper() if is_form else ""
    body, form = b"", None
    if override:
        form = _form(await read_body(receive, headers, max_body), query)
        method = override
    match = router.find(method, _path(scope), is_form=is_form)
    if form is None:
        body = await read_body(receive, headers, max_body)
        # A form that fell back to a route of GET.
        form = _form(body, query) if match.route.verb != method else None
    return Received(headers, query, match, b"" if form else body, form)


def decode(received: Received, peer: str, reader: Reader, limits: Limits) -> Call:
    """Make the message and what goes beside it. Raises Failure and JsonInvalid."""
    route = received.match.route
    beside = Incoming(
        incoming(received.headers, peer, limits.forwarded_headers), time_left(received.headers)
    )
    query = received.form
    if query is None:
        query = parameters(received.query) if route.reads_query else []
    message, ignored = route.request(
        received.body, received.match.variables, query, reader, strict=limits.strict_json
    )
    return Call(route.spec, message, beside, ignored)


def _form(body: bytes, query: str) -> Parameters:
    return [*parameters(body.decode("latin-1")), *parameters(query)]


def _path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return raw.decode("latin-1") if raw else quote(scope["path"])
