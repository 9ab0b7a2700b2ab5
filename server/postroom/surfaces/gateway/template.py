"""Path templates of google.api.http: parse them, match paths against them.

A path is split at its slashes before anything in it is decoded, so that a value
may hold an escaped slash; each segment is then decoded once.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

ONE = object()
MANY = object()
Piece = str | object

_LITERAL = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


@dataclass(frozen=True, slots=True)
class Variable:
    """A field that takes the segments from start up to end."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template. MANY stands at most once among the pieces."""

    pieces: tuple[Piece, ...]
    variables: tuple[Variable, ...]
    verb: str

    @property
    def plain(self) -> str:
        """The one path that matches, '' if there are several."""
        if not all(isinstance(piece, str) for piece in self.pieces):
            return ""
        return "/" + "/".join(map(str, self.pieces)) + (f":{self.verb}" if self.verb else "")

    def match(self, segments: Sequence[str], last: str) -> Mapping[str, str] | None:
        """Return the text of each variable, None if the path does not match.

        The segments are decoded; `last` is the last one as it was sent, for a verb is
        only what was sent as one. Raises EmptyVerb if the last segment is just a verb.
        """
        if self.verb:
            rest = last.removesuffix(f":{self.verb}")
            if rest == last:
                return None
            if not rest:
                raise EmptyVerb
            segments = [*segments[:-1], unquoted(rest)]
        extra = len(segments) - len(self.pieces)
        many = extra + 1
        if many < 0 or (extra and MANY not in self.pieces):
            return None
        return self._variables(segments, many)

    def _variables(self, segments: Sequence[str], many: int) -> Mapping[str, str] | None:
        at = 0
        bounds = [0]
        for piece in self.pieces:
            if isinstance(piece, str) and segments[at] != piece:
                return None
            at += many if piece is MANY else 1
            bounds.append(at)
        return {
            one.path: _joined(
                segments[bounds[one.start] : bounds[one.end]], self.pieces[one.start : one.end]
            )
            for one in self.variables
        }


class EmptyVerb(Exception):
    """The last segment is a verb and nothing else, which no path may be."""


def parse(text: str) -> Template:
    """Parse a template. Raises ValueError, which names the template and what is wrong."""
    if text == "/":
        return Template(("",), (), "")
    if not text.startswith("/") or text.endswith("/"):
        raise ValueError(f"the path template {text!r} must start with / and not end in /")
    path, verb = _split_verb(text)
    pieces: list[Piece] = []
    variables: list[Variable] = []
    for part in re.findall(r"\{[^{}]*\}|[^/{}]+|\{|\}|//", path):
        if part.startswith("{") and part.endswith("}"):
            name, _, inner = part[1:-1].partition("=")
            start = len(pieces)
            pieces += [_piece(one, text) for one in (inner or "*").split("/")]
            variables.append(Variable(_field(name, text), start, len(pieces)))
        else:
            pieces.append(_piece(part, text))
    _check(text, path, pieces, variables)
    return Template(tuple(pieces), tuple(variables), verb)


def unquoted(segment: str) -> str:
    """Decode the escapes of a segment; bytes that are not UTF-8 become lone surrogates."""
    if "%" not in segment and segment.isascii():
        return segment
    return unquote_to_bytes(segment.encode("latin-1")).decode("utf-8", "surrogateescape")


def _split_verb(text: str) -> tuple[str, str]:
    start = text.rfind("}") + 1
    last = text.rfind("/", start) + 1 or start
    in_variable = text[start:].startswith(":")
    at = text.find(":", start) if in_variable else text.rfind(":", last)
    return (text, "") if at < 0 else (text[:at], text[at + 1 :])


def _piece(text: str, template: str) -> Piece:
    if text == "*":
        return ONE
    if text == "**":
        return MANY
    if not _LITERAL.fullmatch(text):
        raise ValueError(f"the path template {template!r} has the segment {text!r}, which is none")
    return unquoted(text)


def _field(name: str, template: str) -> str:
    if not _FIELD.fullmatch(name):
        raise ValueError(f"the path template {template!r} has {name!r} for a field")
    return name


def _check(text: str, path: str, pieces: Sequence[Piece], variables: Sequence[Variable]) -> None:
    if "//" in path or re.search(r"\}[^/:]|[^/]\{", path):
        raise ValueError(f"the path template {text!r} needs one / between its segments")
    if pieces.count(MANY) > 1:
        raise ValueError(f"the path template {text!r} has ** more than once")
    names = [variable.path for variable in variables]
    if len(set(names)) < len(names):
        raise ValueError(f"the path template {text!r} gives a field twice")


def _joined(segments: Sequence[str], pieces: Sequence[Piece]) -> str:
    """Join what a variable took; a ** that took nothing still has its slash in front."""
    if MANY not in pieces or len(segments) >= len(pieces):
        return "/".join(segments)
    at = pieces.index(MANY)
    return "/".join([*segments[:at], "", *segments[at:]])
