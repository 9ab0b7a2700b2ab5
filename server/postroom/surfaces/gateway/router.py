"""Which route a request takes, by grpc-gateway's rules of precedence.

Of several templates that match, the one declared last wins. A POST with a form for
its body may stand for another method, and falls back to GET.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from postroom.errors import Code
from postroom.surfaces.gateway.failure import failure
from postroom.surfaces.gateway.template import EmptyVerb, Template, unquoted

FORM: Final = "application/x-www-form-urlencoded"

_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

R = TypeVar("R")


class Match(NamedTuple, Generic[R]):
    """The route taken and the text of its path variables."""

    route: R
    variables: Mapping[str, str]


class Router(Generic[R]):
    """Finds routes by method and path."""

    def __init__(self) -> None:
        self._routes: dict[str, list[tuple[Template, R]]] = {}
        # The paths of templates without variables, and what was found for them.
        self._plain: set[tuple[str, str]] = set()
        self._found: dict[tuple[str, str, bool], Match[R]] = {}

    def add(self, method: str, template: Template, route: R) -> None:
        """Add a route; it goes before those added earlier."""
        self._routes.setdefault(method, []).insert(0, (template, route))
        if template.plain:
            self._plain.add((method, template.plain))
        self._found.clear()

    def find(self, method: str, raw_path: str, *, is_form: bool) -> Match[R]:
        """Find the route. Raises Failure: not found, wrong method, or no path at all."""
        found = self._found.get((method, raw_path, is_form))
        if found is None:
            found = self._search(method, raw_path, is_form=is_form)
            if (method, raw_path) in self._plain:
                self._found[method, raw_path, is_form] = found
        return found

    def _search(self, method: str, raw_path: str, *, is_form: bool) -> Match[R]:
        if not raw_path.startswith("/") or _BAD_ESCAPE.search(raw_path):
            raise failure(Code.INVALID_ARGUMENT, "Bad Request")
        raw = raw_path[1:].split("/")
        segments = [unquoted(segment) for segment in raw]
        try:
            found = self._first((method,), segments, raw[-1])
        except EmptyVerb:
            raise failure(Code.NOT_FOUND, "Not Found") from None
        if found is None and is_form and method == "POST":
            found = self._first(("GET",), segments, raw[-1], falls_back=True)
        if found is not None:
            return found
        if self._first(self._routes, segments, raw[-1], falls_back=True) is not None:
            raise failure(Code.UNIMPLEMENTED, "Method Not Allowed")
        raise failure(Code.NOT_FOUND, "Not Found")

    def _first(
        self,
        methods: Iterable[str],
        segments: Sequence[str],
        last: str,
        *,
        falls_back: bool = False,
    ) -> Match[R] | None:
        """Find the first route that matches. Raises EmptyVerb unless other methods are tried."""
        for method in methods:
            for template, route in self._routes.get(method, ()):
                try:
                    variables = template.match(segments, last)
                except EmptyVerb:
                    if not falls_back:
                        raise
                    continue
                if variables is not None:
                    return Match(route, variables)
        return None
