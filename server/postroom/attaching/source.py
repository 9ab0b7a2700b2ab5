"""Where a parsed piece of Markdown stands in the text that it came from.

The parser works on a text with plain line ends, and on inline content from which the
marks of lists, quotes, headings and tables are gone. A place is found by looking for
each line of the content in its line of the text.
"""

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence

Place = tuple[int, int]

# As the parser ends lines.
_LINE_END = re.compile(r"\r\n?|\n")
# Lines at the start of a paragraph; nobody writes as many.
_MOST_DROPPED = 50


class Source:
    """A text, by lines. Offsets count characters of the text as it was given."""

    def __init__(self, text: str) -> None:
        self._text = text
        # The parser shows NUL so.
        self._shown = text.replace("\0", "\ufffd")
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        stops = [*(end.start() for end in ends), len(text)]
        self._lines = [self._shown[a:b] for a, b in zip(self._starts, stops, strict=True)]
        lengths = (len(line) + 1 for line in self._lines)
        self._plain_starts = list(itertools.accumulate(lengths, initial=0))

    def from_plain(self, offset: int) -> int:
        """The offset of what stands at this one in the text with plain line ends."""
        line = bisect.bisect_right(self._plain_starts, offset) - 1
        return self._starts[line] + offset - self._plain_starts[line]

    def block(self, first_line: int, content: str) -> "Located":
        """A paragraph or heading that begins in a line."""
        pieces = content.split("\n")
        start = self._first(first_line, pieces)
        lines = range(start, start + len(pieces))
        origins = [
            self._starts[line] + _column(self._lines[line], piece)
            for line, piece in zip(lines, pieces, strict=True)
        ]
        return Located(self._shown, content, origins)

    def _first(self, line: int, pieces: Sequence[str]) -> int:
        """Where the pieces begin: the parser drops lines of blanks that are none to Markdown."""
        last = min(line + _MOST_DROPPED, len(self._lines) - len(pieces))
        for start in range(line, last + 1):
            lines = self._lines[start : start + len(pieces)]
            if all(piece.strip() in text for piece, text in zip(pieces, lines, strict=True)):
                return start
        return line

    def cells(self, line: int, contents: Sequence[str]) -> Iterator["Located"]:
        """The cells of a table's row, from left to right."""
        column = 0
        for content in contents:
            written = _in_cell(content)
            at = self._lines[line].find(written, column)
            # Where a cell is not found, nothing will be found in it.
            origin = self._starts[line] + at if at >= 0 else len(self._text)
            column = max(at, column) + len(written)
            yield Located(self._shown, content, [origin], is_cell=True)

    def replaced(self, changes: Sequence[tuple[Place, str]]) -> str:
        """The text with other words at some places, which do not overlap."""
        parts, done = [], 0
        for (start, stop), words in sorted(changes):
            parts += [self._text[done:start], words]
            done = stop
        return "".join([*parts, self._text[done:]])


class Located:
    """Inline content, and where each of its lines begins in the text."""

    def __init__(
        self, text: str, content: str, origins: Sequence[int], *, is_cell: bool = False
    ) -> None:
        self._text, self._content = text, content
        self._origins, self._is_cell = origins, is_cell
        ends = (index + 1 for index, letter in enumerate(content) if letter == "\n")
        self._starts = [0, *ends]

    def place(self, start: int, stop: int) -> Place | None:
        """Where content[start:stop], all in one line, stands; None if that is not sure."""
        line = bisect.bisect_right(self._starts, start) - 1
        before = self._written(self._starts[line], start)
        wanted = self._written(start, stop)
        at = self._origins[line] + len(before)
        return (at, at + len(wanted)) if self._text.startswith(wanted, at) else None

    def _written(self, start: int, stop: int) -> str:
        piece = self._content[start:stop]
        return _in_cell(piece) if self._is_cell else piece


def _column(line: str, piece: str) -> int:
    """The column at which the first character of a piece of content stands in its line.

    Marks stand before the piece, so it ends its line. Behind a heading there may be more,
    but before it there is no "!", with which any image begins: its first occurrence is it.
    """
    bare, end = piece.strip(), line.rstrip()
    at = len(end) - len(bare) if end.endswith(bare) else line.find(bare)
    return at - (len(piece) - len(piece.lstrip()))


def _in_cell(content: str) -> str:
    return content.replace("|", "\\|")
