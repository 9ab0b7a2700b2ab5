"""Generated requests for any contract: every route, as it should be and otherwise."""

import random
from collections.abc import Sequence
from dataclasses import replace

from postroom.rpc.contract import Binding, Contract, Spec
from postroom.surfaces.gateway.calls import routes
from postroom.surfaces.gateway.fields import field_at
from tests.interop.gateway.bodies import Bodies
from tests.interop.gateway.exchange import Request
from tests.interop.gateway.queries import Known, Queries

FORM = "application/x-www-form-urlencoded"
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "REPORT")
_TYPES = ("application/json",) * 6 + ("application/json; charset=utf-8", "application/xml", "")
_PERMANENT = (
    *(
        "Accept",
        "Accept-Language",
        "Cookie",
        "Date",
        "Expires",
        "From",
        "If-Match",
        "Pragma",
        "Referer",
    ),
    *(
        "User-Agent",
        "Via",
        "Warning",
        "X-Request-Id",
        "Traceparent",
        "Accept-Charset",
        "Accept-Encoding",
    ),
    *(
        "Cache-Control",
        "Max-Forwards",
        "Content-Language",
        "If-None-Match",
        "Grpc-Status",
        "Grpc-Encoding",
    ),
)
_VALUES = ("a", "a, b", "", "x=1; y", "\xe9", 'W/"1"', "t\tab", "~!@#$%^&*()", "0", "a" * 500)
_METADATA = (
    *(
        "X",
        "X-B3",
        "x-lower",
        "a.b",
        "a_b",
        "Te",
        "Host",
        "Content-Type",
        "User-Agent",
        "Grpc-Timeout",
    ),
    *("Grpcgateway-Cookie", "Authorization", "9", "-", "Accept", "Content-Length", "Foo*", "Foo!"),
)
_BINARY = ("", "AAEC", "QQ==", "QQ", "-_8=", "!", "Q", "QQ=", "AAEC, QQ==", "QUJD\xe9", " QUJD ")
_TIMEOUTS = (
    *("5S", "1H", "100M", "60000m", "9999999u", "999999999n", "0S", "00S", "+5S", "00005S"),
    *("5", "S", "5s", "x", "5 S", "1.5S", "", "-", "5SS", "\xe9S", "9" * 18 + "n"),
)
_ESCAPES = ("2F", "2f", "3A", "25", "00", "41", "zz", "4", "ff", "20")
# No server answers within it, so it's only for where the call fails without a backend.
_EXPIRED = ("-1S", "-5m", "-0S")


class Asking:
    """Makes requests. `known` gives texts that mean something for a field, or None."""

    def __init__(
        self, name: str, contract: Contract, dice: random.Random, known: Known | None = None
    ) -> None:
        routes(contract.specs)
        self._name = name
        self._specs = contract.specs
        self._dice = dice
        self._bodies = Bodies(dice, known)
        self._queries = Queries(dice, known)
        self._count = 0

    def request(self, specs: Sequence[Spec] = ()) -> Request:
        """The next request."""
        dice = self._dice
        self._count += 1
        spec = dice.choice(specs or self._specs)
        bindings = spec.bindings or (Binding("POST", f"/{spec.full_name}", "*"),)
        binding = dice.choice(bindings)
        path = self._path(spec, binding)
        query = self._query(spec, binding)
        body = self._body(spec, binding)
        name = f"{self._name}:{self._count}:{spec.name}"
        asked = Request(name, binding.verb, path, self.headers(), body)
        return self._disturbed(replace(asked, path=f"{path}?{query}" if query else path), query)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Headers: mostly the plain ones."""
        dice = self._dice
        content_type = dice.choice(_TYPES)
        found = [("Content-Type", content_type)] if content_type else []
        if dice.random() < 0.15:
            found += [(name, dice.choice(_VALUES)) for name in dice.sample(_PERMANENT, 2)]
        if dice.random() < 0.15:
            names = dice.choices(_METADATA, k=2)
            found += [(f"Grpc-Metadata-{name}", dice.choice(_VALUES)) for name in names]
        if dice.random() < 0.05:
            found.append(("Grpc-Metadata-X-Bin", dice.choice(_BINARY)))
        if dice.random() < 0.06:
            found.append(("Grpc-Timeout", dice.choice(_TIMEOUTS + _EXPIRED)))
        if dice.random() < 0.03:
            found.append(("Authorization", dice.choice(("Bearer x", "", "Basic QQ=="))))
        return tuple(found)

    def _path(self, spec: Spec, binding: Binding) -> str:
        """A path that the template matches, most of the time."""
        found, rest = "", binding.template
        while "{" in rest:
            before, _, rest = rest.partition("{")
            inside, _, rest = rest.partition("}")
            name, _, pattern = inside.partition("=")
            found += before + self._taken(spec, name, pattern or "*")
        return self._wild(found + rest)

    def _taken(self, spec: Spec, name: str, pattern: str) -> str:
        if pattern == "*":
            return self._queries.variable(spec.input, name)
        return self._wild(pattern)

    def _wild(self, path: str) -> str:
        parts = []
        for part in path.split("/"):
            if part == "**":
                count = self._dice.randint(0, 3)
                parts += [self._segment() for _ in range(count)]
            else:
                parts.append(self._segment() if part == "*" else part)
        return "/".join(parts)

    def _segment(self) -> str:
        text = self._dice.choice(
            ("a", "b c", "", "\u20ac", "x:y", "a+b", "%", ".", "..", "end", "~")
        )
        return self._queries.escaped(text, "!$&'()*+,;=:@-._~")

    def _query(self, spec: Spec, binding: Binding) -> str:
        if binding.body == "*":
            return self._dice.choice(("", "", "", "a=b", "x=%zz", "a;b"))
        taken = {part.partition("=")[0].split(".")[0] for part in _inside(binding.template)}
        return self._queries.query(spec.input, taken | {binding.body.split(".")[0]})

    def _body(self, spec: Spec, binding: Binding) -> bytes:
        if binding.body == "*":
            return self._bodies.body(spec.input)
        if binding.body:
            return self._bodies.value_of(field_at(spec.input, binding.body.split(".")))
        return self._dice.choice((b"", b"", b"", b"{}", b"x"))

    def _disturbed(self, request: Request, query: str) -> Request:
        dice = self._dice
        luck = dice.random()
        if luck < 0.06:
            return replace(request, method=dice.choice(_METHODS))
        if luck < 0.14:
            path = self._odd_path(request.path)
            # A server that takes no such path does not read the body either.
            return replace(request, path=path, body=request.body if path[0] == "/" else b"")
        if luck < 0.19 and request.method == "GET":
            return self._form(request, query)
        if luck < 0.2:
            return replace(request, headers=(*request.headers, ("TE", "trailers")))
        return request

    def _odd_path(self, path: str) -> str:
        bare, mark, query = path.partition("?")
        at = self._dice.randrange(1, len(bare) + 1)
        cut = bare.rfind("/")
        odd = self._dice.choice(
            (
                f"{bare}/",
                f"/{bare}",
                bare.replace("/", "//", 1),
                f"{bare}:verb",
                f"{bare}:",
                f"{bare[:cut]}/:verb",
                f"{bare[:cut]}/.",
                f"{bare[:cut]}/../x",
                bare.upper(),
                bare[:at],
                f"{bare}/more",
                f"{bare[:at]}%{self._dice.choice(_ESCAPES)}{bare[at:]}",
                "/",
                "/nope",
                "*",
            )
        )
        return odd + mark + query

    def _form(self, request: Request, query: str) -> Request:
        bare = request.path.partition("?")[0]
        headers = [
            ("Content-Type", self._dice.choice((FORM, FORM, FORM, f"{FORM}; charset=utf-8")))
        ]
        if self._dice.random() < 0.4:
            headers.append(
                ("X-HTTP-Method-Override", self._dice.choice(("GET", "get", "PATCH", "NOPE")))
            )
        return replace(
            request, method="POST", path=bare, headers=tuple(headers), body=query.encode("latin-1")
        )


def _inside(template: str) -> list[str]:
    return [part.partition("}")[0] for part in template.split("{")[1:]]
