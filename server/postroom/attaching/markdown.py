"""The parser of Markdown, taught to remember where the destination of an image stood.

What it finds as images is what CommonMark with tables finds: emphasis and the like,
which cannot hide or make an image, are left out for speed. URLs are taken as they are
written, since they may be paths.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import isStrSpace, normalizeReference
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.reference import reference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.image import image
from markdown_it.token import Token

MARK = "!["
# In a token's meta: the destination's start and stop in the content of its block, or the
# label of its definition.
SPAN, LABEL = "span", "label"
# In the environment: label → start and stop in the text with plain line ends.
DEFINED = "defined"
_INLINE_RULES = ["text", "newline", "escape", "backticks", "link", "image", "autolink"]
_INLINE_RULES += ["html_inline", "entity"]
# Of one parse: each line and each step within one. The hardest text takes two seconds.
_MOST_STEPS = 50_000
# Of all parses of a text: enough to find its images and to check one rewriting.
_MOST_STEPS_IN_ALL = 2 * _MOST_STEPS
_STEPS_OF_IMAGE = 10
_STEPS_OF_DEFINITION = 4


class TooTangled(Exception):
    """Looking for images in this text would take too long."""


class Parser(MarkdownIt):
    """Parses texts, for a bounded number of steps in its whole life."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.enable(["table"])
        self.inline.ruler.enableOnly(_INLINE_RULES)
        self.inline.ruler2.enableOnly([])
        self.inline.ruler.before("text", "step", self._step)
        self.inline.ruler.at("image", self._image)
        self.block.ruler.at("reference", self._reference)
        self.core.ruler.at("inline", _inline)
        self._steps_left = 0
        self._steps_left_in_all = _MOST_STEPS_IN_ALL

    def parsed(self, text: str) -> tuple[Sequence[Token], dict[str, Any]]:
        """The tokens, and the environment with the definitions. Raises TooTangled."""
        self._steps_left = _MOST_STEPS
        self._spend(text.count("\n") + text.count("\r"))
        env: dict[str, Any] = {DEFINED: {}}
        return self.parse(text, env), env

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's name
        """As it is written."""
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the parser's name
        """Any: what cannot be used is reported."""
        return True

    def _step(self, _state: StateInline, _silent: bool) -> bool:
        self._spend(1)
        return False

    def _image(self, state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not image(state, silent):
            return False
        if not silent:
            self._spend(_STEPS_OF_IMAGE)
            state.tokens[-1].meta = _origin(state, start)
        return True

    def _reference(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        known = len(state.env.get("references", ()))
        if not reference(state, start, end, silent):
            return False
        self._spend(_STEPS_OF_DEFINITION)
        labels = state.env.get("references", {})
        # The first definition of a label counts, so only a new one is at the end.
        if len(labels) > known:
            state.env[DEFINED][next(reversed(labels))] = _definition(state, start)
        return True

    def _spend(self, steps: int) -> None:
        self._steps_left -= steps
        self._steps_left_in_all -= steps
        if min(self._steps_left, self._steps_left_in_all) < 0:
            raise TooTangled


def images(tokens: Sequence[Token]) -> Iterator[Token]:
    """The images of inline tokens, but for those in the description of another image."""
    return (token for token in tokens if token.type == "image")


def _inline(state: StateCore) -> None:
    """Parse the blocks that may hold images, or links that share a definition with one.

    The others are compared as they are.
    """
    sought = "[" if state.env[DEFINED] else MARK
    for token in state.tokens:
        if token.type == "inline" and sought in token.content:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _origin(state: StateInline, start: int) -> dict[str, Any]:
    label_end = state.md.helpers.parseLinkLabel(state, start + 1, False)
    rest = state.src[label_end + 1 : state.pos]
    if rest.startswith("("):
        return {SPAN: _destination(state, state.src, label_end + 2)}
    label = rest[1:-1] or state.src[start + 2 : label_end]
    return {LABEL: normalizeReference(label)}


def _destination(state: StateInline | StateBlock, text: str, at: int) -> tuple[int, int]:
    """Where a destination stands that begins after some spaces, without its brackets."""
    while at < len(text) and (isStrSpace(text[at]) or text[at] == "\n"):
        at += 1
    found = state.md.helpers.parseLinkDestination(text, at, len(text))
    if not found.ok:
        return at, at
    return (at + 1, found.pos - 1) if text.startswith("<", at) else (at, found.pos)


def _definition(state: StateBlock, first: int) -> tuple[int, int]:
    """Where the destination stands of a definition that ended just before state.line."""
    text, offsets = "", list[int]()
    for line in range(first, state.line):
        start, stop = state.bMarks[line] + state.tShift[line], state.eMarks[line] + 1
        text += state.src[start:stop]
        offsets += range(start, stop)
    start, stop = _destination(state, text, _label_end(text) + 2)
    return offsets[start], offsets[stop - 1] + 1 if stop > start else offsets[start]


def _label_end(text: str) -> int:
    at = 1
    while text[at] != "]":
        at += 2 if text[at] == "\\" else 1
    return at
