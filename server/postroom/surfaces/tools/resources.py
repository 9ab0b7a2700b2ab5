"""Methods whose calls are read as resources of MCP, and what their addresses say."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote

from google.protobuf.message import Message

from postroom.rpc import protojson
from postroom.rpc.contract import Field, Spec
from postroom.rpc.protojson import JsonInvalid

_TEMPLATE: Final = re.compile(
    r"(?P<start>[a-z][a-z0-9+.-]*://[^{}?]*/)\{(?P<rest>\w+)\}(?:\{\?(?P<query>\w+(?:,\w+)*)\})?"
)

_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Template:
    """One method's addresses: what they begin with, and which fields their parts fill."""

    spec: Spec
    uri: str
    start: str
    field: str
    query: Mapping[str, str]

    def values(self, uri: str) -> Mapping[str, str]:
        """What an address that begins like this one gives for fields. Raises JsonInvalid."""
        rest = uri.removeprefix(self.start)
        query = ""
        if self.query:
            rest, _, query = rest.partition("?")
        given = [(self.field, _decoded(rest, self.field))]
        for name, text in parse_qsl(query, keep_blank_values=True, errors="surrogateescape"):
            if _is_broken(name + text):
                raise _no_utf8("query" if _is_broken(name) else name)
            if name not in self.query:
                raise JsonInvalid(name, f"is not asked by {self.uri}; leave it out")
            given.append((self.query[name], text))
        return dict(given)

    def value(self, uri: str) -> dict[str, str | bool]:
        """The request of an address in JSON's terms. Raises JsonInvalid."""
        flags = {f.name for f in self.spec.fields if f.is_flag}
        return {
            name: _FLAGS.get(text, text) if name in flags else text
            for name, text in self.values(uri).items()
        }


class Resources:
    """All templates of a contract."""

    def __init__(self, specs: Iterable[Spec]) -> None:
        """Read the templates. Raises ValueError for one that cannot work."""
        self.templates = tuple(_template(spec) for spec in specs if spec.resource)

    def find(self, uri: str) -> tuple[Spec, Message] | None:
        """The call that an address stands for, None for no address of ours.

        Raises JsonInvalid for one that says something wrong.
        """
        for template in self.templates:
            if uri.startswith(template.start):
                spec = template.spec
                request, _ = protojson.read(template.value(uri), spec.request_class, strict=True)
                return spec, request
        return None


def _template(spec: Spec) -> Template:
    assert spec.resource is not None
    uri, fields = spec.resource.uri, spec.resource.fields
    found = _TEMPLATE.fullmatch(uri)
    if not found:
        raise ValueError(f"{spec.full_name}: the resource {uri!r} must end in one {{variable}}")
    names = [found["rest"], *(found["query"].split(",") if found["query"] else ())]
    known = {field.name: field for field in spec.fields}
    filled = {name: fields.get(name, name) for name in names}
    for name, field in filled.items():
        if field not in known or not _can_be_filled(known[field]):
            told = f"{name} of {uri} fills neither a string nor a bool of the request"
            raise ValueError(f"{spec.full_name}: {told}")
    rest, *query = names
    return Template(spec, uri, found["start"], filled[rest], {name: filled[name] for name in query})


def _can_be_filled(field: Field) -> bool:
    return (field.is_text or field.is_flag) and not field.repeated


def _decoded(text: str, field: str) -> str:
    """Decode escapes; a key that was not escaped, such as a path, is itself."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise _no_utf8(field) from None


def _is_broken(text: str) -> bool:
    """Whether bytes that are no UTF-8 were kept in it as halves of pairs."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _no_utf8(field: str) -> JsonInvalid:
    return JsonInvalid(field, "has escapes that are no UTF-8; escape the bytes of UTF-8 text")
