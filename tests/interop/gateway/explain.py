"""Which differences are meant: one function for each deviation that requests can show.

Each returns those of the differences that its deviation accounts for. It looks at the
request and at both answers, so that it excuses nothing else.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from tests.interop.gateway.compare import Seen
from tests.interop.gateway.exchange import HUNG_UP, Answer, Request

DEVIATIONS: list[dict[str, str]] = json.loads(
    (Path(__file__).parent / "deviations.json").read_text()
)
_FORM = "application/x-www-form-urlencoded"
_GUARD = {"NOT_LOOPBACK", "BAD_HOST", "PROXIED", "BAD_ORIGIN", "CROSS_SITE", "BAD_CONTENT_TYPE"}
_RESERVED = {
    *("connection", "content-encoding", "content-length", "content-type", "date", "host", "te"),
    *("keep-alive", "server", "trailer", "transfer-encoding", "upgrade", "user-agent", ""),
}
_OWN_METADATA = ("postroom-agent-id", "idempotency-key")
_OWN_PAGES = ("/healthz", "/readyz", "/openapi.json", "/reference")
_DEEPEST = 100
_LONGEST_TIMEOUT = 18
_MOST_BYTES = 4 * 1024 * 1024


@dataclass
class Case:
    """A request whose answers differ."""

    request: Request
    theirs: Seen
    ours: Seen
    found: list[str]

    def of_kind(self, *starts: str) -> list[str]:
        """The differences of some kinds."""
        return [one for one in self.found if one.startswith(starts)]

    def all_if(self, applies: object) -> list[str]:
        """All differences, or none."""
        return self.found if applies else []


def explain(case: Case) -> tuple[set[str], list[str]]:
    """The deviations that account for differences, and the differences that remain."""
    names: set[str] = set()
    for name, one in _EXPLAIN.items():
        covered = one(case)
        if covered:
            names.add(name)
            case.found = [each for each in case.found if each not in covered]
    return names, case.found


def _guard(case: Case) -> list[str]:
    details = _json(case.ours.answer).get("details") or [{}]
    refused = case.ours.answer.status in (403, 415, 421)
    return case.all_if(refused and details[0].get("reason") in _GUARD and not case.ours.asked)


def _encoded_slash(case: Case) -> list[str]:
    return case.all_if(re.search("%2f", _path(case.request), re.IGNORECASE))


def _not_utf8(case: Case) -> list[str]:
    request = case.request
    parts = [
        request.path.encode("latin-1"),
        request.body,
        request.header("grpc-timeout").encode("latin-1"),
    ]
    bad = any(not _is_utf8(part) or not _is_utf8(unquote_to_bytes(part)) for part in parts)
    bad = bad or re.search(rb"\\u[dD][89a-fA-F]", request.body) is not None
    return case.all_if(bad and _refused(case.ours.answer))


def _bad_path(case: Case) -> list[str]:
    theirs, ours = case.theirs.answer, case.ours.answer
    is_text = theirs.header("content-type") == ["text/plain; charset=utf-8"] or not theirs.body
    return case.all_if(
        theirs.status == 400
        and is_text
        and _json(ours).get("message") in ("Bad Request", None)
        and ours.status == 400
    )


def _unresolvable(case: Case) -> list[str]:
    lost = b"failed to marshal error message" in case.theirs.answer.body
    return case.all_if(lost and case.ours.asked and _json(case.ours.answer).get("details") == [])


def _challenge(case: Case) -> list[str]:
    ours = case.ours.answer
    is_own = ours.status == 401 and b"google.rpc.ErrorInfo" in ours.body
    is_bearer = is_own and ours.header("www-authenticate") == ["Bearer"]
    return case.of_kind("header: www-authenticate ") if is_bearer else []


def _trailers(case: Case) -> list[str]:
    asked = "trailers" in case.request.header("te")
    return case.of_kind("header: trailer ", "trailers: ") if asked else []


def _size(case: Case) -> list[str]:
    return case.all_if(len(case.request.body) > _MOST_BYTES and case.ours.answer.status == 413)


def _nesting(case: Case) -> list[str]:
    depth = max(case.request.body.count(b"["), case.request.body.count(b"{"))
    return case.all_if(depth > _DEEPEST and _refused(case.ours.answer))


def _grpc(case: Case) -> list[str]:
    is_grpc = case.request.header("content-type").lower().startswith("application/grpc")
    return case.all_if(is_grpc and case.ours.answer.status == 415)


def _connect(case: Case) -> list[str]:
    is_proto = case.request.header("content-type") == "application/proto"
    return case.all_if(is_proto or case.request.header("connect-protocol-version"))


def _long_timeout(case: Case) -> list[str]:
    told = case.request.header("grpc-timeout")
    return case.all_if(len(told) > _LONGEST_TIMEOUT + 1 and _refused(case.ours.answer))


def _reserved(case: Case) -> list[str]:
    sent = {
        name.lower().removeprefix("grpc-metadata-")
        for name, _ in case.request.headers
        if name.lower().startswith("grpc-metadata-")
    }
    names = {name for name in sent if name in _RESERVED or name.startswith("grpc-")}
    if names and case.theirs.answer.status == 500 and not case.theirs.asked:
        return case.found
    return [one for name in names for one in case.of_kind(f"metadata: {name} is ")]


def _binary(case: Case) -> list[str]:
    return case.of_kind("header: grpc-metadata-x-echo-bin ")


def _own_metadata(case: Case) -> list[str]:
    sent = [name for name in _OWN_METADATA if case.request.header(name)]
    kept = [one for name in sent for one in case.of_kind(f"metadata: {name} is None there")]
    return case.found if kept else []


def _form(case: Case) -> list[str]:
    is_form = case.request.method == "POST" and case.request.header("content-type") == _FORM
    both = {case.theirs.answer.status, case.ours.answer.status}
    return case.all_if(is_form and 501 in both and len(both) > 1)


def _unprintable(case: Case) -> list[str]:
    theirs, ours = case.theirs.answer, case.ours.answer
    same = theirs.status == ours.status == 500 and case.theirs.asked and case.ours.asked
    return case.all_if(same and _json(theirs).get("code") == 2 and _json(ours).get("code") == 13)


def _raw_type(case: Case) -> list[str]:
    theirs = "".join(case.theirs.answer.header("content-type"))
    bad = not theirs or not theirs.isprintable() or not theirs.isascii()
    is_raw = any(one.spec.output.name == "HttpBody" for one in case.ours.asked)
    return case.of_kind("header: content-type ") if bad and is_raw else []


def _patch_mask(case: Case) -> list[str]:
    if case.request.method != "PATCH":
        return []
    if case.theirs.answer.status == HUNG_UP:
        return case.all_if(b"any" in case.request.body)
    paths = [list(one.request.update_mask.paths) for one in _patches(case.theirs)]
    return case.of_kind("call: ") if case.ours.asked and paths == [[""]] else []


def _enum_range(case: Case) -> list[str]:
    is_enum = _path(case.request) == "/field/color"
    return case.all_if(is_enum and case.theirs.answer.status == 200 and _refused(case.ours.answer))


def _literal(case: Case) -> list[str]:
    return case.all_if(_path(case.request).startswith("/esc%2Dape/"))


def _own_pages(case: Case) -> list[str]:
    served = _path(case.request) in _OWN_PAGES and case.request.method in ("GET", "HEAD")
    return case.all_if(served and case.theirs.answer.status == 404)


def _odd_method(case: Case) -> list[str]:
    theirs, ours = case.theirs.answer, case.ours.answer
    return case.all_if(theirs.status == 501 and ours.status == 400 and not case.ours.asked)


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def _json(answer: Answer) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_utf8(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _refused(answer: Answer) -> bool:
    """Tell whether the request was refused for what it says; HEAD has no body to say so."""
    return answer.status == 400 and _json(answer).get("code", 3) == 3


def _patches(seen: Seen) -> list[Any]:
    return [one for one in seen.asked if one.spec.name == "Patch"]


_EXPLAIN: dict[str, Callable[[Case], list[str]]] = {
    "guard": _guard,
    "encoded-slash": _encoded_slash,
    "not-utf8": _not_utf8,
    "bad-path": _bad_path,
    "unknown-detail": _unresolvable,
    "challenge": _challenge,
    "trailers": _trailers,
    "size": _size,
    "nesting": _nesting,
    "grpc": _grpc,
    "connect": _connect,
    "long-timeout": _long_timeout,
    "reserved-metadata": _reserved,
    "binary-metadata": _binary,
    "own-metadata": _own_metadata,
    "form": _form,
    "unprintable": _unprintable,
    "raw-type": _raw_type,
    "patch-mask": _patch_mask,
    "enum-range": _enum_range,
    "own-pages": _own_pages,
    "escaped-literal": _literal,
    "odd-method": _odd_method,
}
EXPLAINED = frozenset(_EXPLAIN)
