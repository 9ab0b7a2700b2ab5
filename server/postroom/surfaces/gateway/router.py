"""Which route a request takes, by grpc-gateway's rules of precedence.

Of several templates that match, the one declared last wins. A POST with a form for
its body may stand for another method, and falls back to GET.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from postroom.errors import Code
from postroom.surfaces.gateway.failure import failure
from postroom.surfaces.gateway.template import EmptyVerb, Template, unquoted

FORM: Final = "application/x-www-form-urlencoded"

_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Match(Generic[R]):
    """The route taken and the text of its path variables."""

    route: R
    variables: Mapping[str, str]


class Router(Generic[R]):
    """Finds routes by method and path."""

    def __init__(self) -> None:
        self._routes: dict[str, list[tuple[Template, R]]] = {}

    def add(self, method: str, template: Template, route: R) -> None:
        """Add a route; it goes before those added earlier."""
        self._routes.setdefault(method, []).insert(0, (template, route))

    def find(self, method: str, raw_path: str, *, is_form: bool) -> Match[R]:
        """Find the route. Raises Failure: not found, wrong method, or no path at all."""
        if not raw_path.startswith("/") or _BAD_ESCAPE.search(raw_path):
            raise failure(Code.INVALID_ARGUMENT, "Bad Request")
        raw = raw_path[1:].split("/")
        segments = [unquoted(segment) for segment in raw]
        try:
            found = self._first((method,), segments, raw[-1])
            if found is None and is_form and method == "POST":
                found = self._first(("GET",), segments, raw[-1])
            if found is not None:
                return found
            if self._first(self._routes, segments, raw[-1]) is not None:
                raise failure(Code.UNIMPLEMENTED, "Method Not Allowed")
        except EmptyVerb:
            pass
        raise failure(Code.NOT_FOUND, "Not Found")

    def _first(self, methods: Iterable[str], segments: Sequence[str], last: str) -> Match[R] | None:
        for method in methods:
            for template, route in self._routes.get(method, ()):
                variables = template.match(segments, last)
                if variables is not None:
                    return Match(route, variables)
        return None
