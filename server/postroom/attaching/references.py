"""Which images a Markdown text refers to, and the same text with other destinations.

The parser does not tell where in a text an inline piece stood, so the places are worked
out apart, and every rewriting is parsed again: it counts only if exactly the images
that were meant have changed.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from postroom.attaching.markdown import DEFINED, LABEL, SPAN, Parser, TooTangled, images
from postroom.attaching.source import Located, Place, Source

_CELLS = ("th_open", "td_open")


@dataclass(slots=True)
class Reference:
    """A destination that images have, with escapes and entities resolved.

    `places` is where it is written: once for each image that has its own, once for a
    definition; empty if one of them is not known for sure.
    """

    destination: str
    description: str
    places: set[Place] = field(default_factory=set)
    is_sure: bool = True


class References:
    """The images of one text. Raises TooTangled for a text that takes too long."""

    def __init__(self, text: str) -> None:
        self._parser = Parser()
        self._source = Source(text)
        self.text = text
        self._tokens, env = self._parser.parsed(text)
        self._definitions: Mapping[str, Place] = env[DEFINED]
        self._found: dict[str, Reference] = {}
        for token, place in self._placed():
            self._note(token, place)

    @property
    def found(self) -> Sequence[Reference]:
        """Each destination once, in the order of their first images."""
        return list(self._found.values())

    def rewritten(self, changes: Mapping[str, str]) -> tuple[str, frozenset[str]]:
        """The text with new destinations, and which of the old ones were replaced.

        A new destination must need no escapes anywhere in Markdown.
        """
        sure = {old: new for old, new in changes.items() if self._found[old].is_sure}
        try:
            if (text := self._verified(sure)) is not None:
                return text, frozenset(sure)
            sure = {old: new for old, new in sure.items() if self._verified({old: new})}
            text = self._verified(sure)
        except TooTangled:
            text = None
        return (self.text, frozenset()) if text is None else (text, frozenset(sure))

    def _verified(self, changes: Mapping[str, str]) -> str | None:
        if not changes:
            return self.text
        text = self._source.replaced(list(self._replacements(changes)))
        tokens, _ = self._parser.parsed(text)
        return text if _shape(tokens, {}) == _shape(self._tokens, changes) else None

    def _replacements(self, changes: Mapping[str, str]) -> Iterator[tuple[Place, str]]:
        for old, new in changes.items():
            yield from ((place, new) for place in self._found[old].places)

    def _note(self, token: Token, place: Place | None) -> None:
        destination = str(token.attrs["src"])
        reference = self._found.setdefault(destination, Reference(destination, token.content))
        if place is None:
            reference.is_sure = False
        else:
            reference.places.add(place)

    def _placed(self) -> Iterator[tuple[Token, Place | None]]:
        for block, located in self._located():
            for token in images(block.children or ()):
                if not token.attrs["src"]:
                    continue
                if LABEL in token.meta:
                    yield token, self._defined(token.meta[LABEL])
                else:
                    yield token, located.place(*token.meta[SPAN])

    def _located(self) -> Iterator[tuple[Token, Located]]:
        pairs = zip(self._tokens, self._tokens[1:], strict=False)
        inline = [(before.type in _CELLS, block) for before, block in pairs if block.map]
        inline = [(is_cell, block) for is_cell, block in inline if block.type == "inline"]
        for (is_cell, line), group in itertools.groupby(inline, _row):
            blocks = [block for _, block in group]
            contents = [block.content for block in blocks]
            if is_cell:
                yield from zip(blocks, self._source.cells(line, contents), strict=True)
            else:
                yield from ((block, self._source.block(line, block.content)) for block in blocks)

    def _defined(self, label: str) -> Place:
        start, stop = self._definitions[label]
        return self._source.from_plain(start), self._source.from_plain(stop)


def _row(item: tuple[bool, Token]) -> tuple[bool, int]:
    is_cell, block = item
    assert block.map is not None
    return is_cell, block.map[0]


def _shape(tokens: Sequence[Token], changes: Mapping[str, str]) -> list[Any]:
    """All that a text says, with the destinations of its images changed."""
    return [_one(token, changes) for token in tokens]


def _one(token: Token, changes: Mapping[str, str]) -> tuple[Any, ...]:
    attributes = dict(token.attrs)
    if token.type == "image":
        attributes["src"] = changes.get(str(attributes["src"]), attributes["src"])
    # What is parsed further is told by its children; a description's images stay.
    parsed = token.type == "inline" and token.children is not None
    deeper = changes if token.type == "inline" else {}
    return (
        token.type,
        token.tag,
        token.markup,
        token.info,
        token.map,
        attributes,
        "" if parsed else token.content,
        _shape(token.children or (), deeper),
    )
