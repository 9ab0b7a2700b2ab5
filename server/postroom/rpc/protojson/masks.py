"""FieldMask paths between their JSON text and the names in the proto."""

import re

from postroom.rpc.protojson.refusal import Unprintable, Wrong, shown

_PATH = re.compile(r"[a-zA-Z][a-zA-Z0-9]*(\.[a-zA-Z][a-zA-Z0-9]*)*")
_PROTO_PATH = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)*")


def read_mask(text: str) -> list[str]:
    """Split a comma list of lowerCamel paths. Raises Wrong."""
    if not text:
        return []
    paths = text.split(",")
    for path in paths:
        if not _PATH.fullmatch(path):
            raise Wrong(f'must be lowerCamel names, as "replyTo,body"; {shown(path)} is none')
    return [_snake(path) for path in paths]


def print_mask(paths: list[str]) -> str:
    """Join paths as lowerCamel. Raises Unprintable for a name that would not read back."""
    texts = [_camel(path) for path in paths]
    for path, text in zip(paths, texts, strict=True):
        if not _PROTO_PATH.fullmatch(path) or _snake(text) != path:
            raise Unprintable(f"the field mask path {path!r} has no JSON form")
    return ",".join(texts)


def _snake(path: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", path)


def _camel(path: str) -> str:
    return re.sub(r"_([a-z])", lambda pair: pair[1].upper(), path)
