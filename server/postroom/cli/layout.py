"""Labelled text in columns: a table where it fits, else one block for each row.

Nothing is cut off, and every line of a value stands behind its label: text that
somebody wrote can never begin a line of its own.
"""

from collections.abc import Iterator, Sequence

from postroom.cli import escape
from postroom.cli.shape import Entry, Shape

_GAP = "  "
_BAR = "| "
_NARROWEST = 20


def render(shape: Shape, columns: int | None) -> str:
    """Lay out a response for so many columns; None for any number."""
    parts = [_list(name, rows, columns) for name, rows in shape.lists]
    parts += [_block(block, columns) for block in (*shape.blocks, shape.rest)]
    return "\n\n".join(part for part in parts if part)


def _list(name: str, rows: Sequence[Sequence[Entry]], columns: int | None) -> str:
    if not rows:
        return f"{escape.line(name)}: none"
    table = _table(rows)
    if table is None or (columns and max(map(escape.width, table)) > columns):
        return "\n\n".join(_block(row, columns) for row in rows)
    return "\n".join(table)


def _table(rows: Sequence[Sequence[Entry]]) -> list[str] | None:
    """The lines of a table, or None when a value has several lines."""
    filled = {name for row in rows for name, text in row if text}
    names = [name for name in dict.fromkeys(n for row in rows for n, _ in row) if name in filled]
    cells = [[dict(row).get(name, "") for name in names] for row in rows]
    if any("\n" in cell for row in cells for cell in row):
        return None
    lines = [[escape.line(cell) for cell in row] for row in ([n.upper() for n in names], *cells)]
    widths = [max(map(escape.width, column)) for column in zip(*lines, strict=True)]
    return [_GAP.join(map(_padded, line, widths)).rstrip() for line in lines]


def _block(entries: Sequence[Entry], columns: int | None) -> str:
    shown = [(escape.line(name), escape.block(text)) for name, text in entries if text]
    indent = max((escape.width(name) for name, _ in shown), default=0)
    room = columns and max(columns - indent - len(_GAP + _BAR), _NARROWEST)
    return "\n".join(line for name, text in shown for line in _entry(name, text, indent, room))


def _entry(name: str, text: str, indent: int, room: int | None) -> Iterator[str]:
    lines = [piece for line in text.split("\n") for piece in _wrapped(line, room)]
    bar = _BAR if len(lines) > 1 else ""
    for i, line in enumerate(lines):
        yield f"{_padded('' if i else name, indent)}{_GAP}{bar}{line}".rstrip()


def _wrapped(text: str, room: int | None) -> Iterator[str]:
    # Wrapped here, because a terminal would go on in its first column.
    while room and escape.width(text) > room:
        cut = _cut(text, room)
        yield text[:cut]
        text = text[cut:]
    yield text


def _cut(text: str, room: int) -> int:
    """Where to break: behind the last blank that fits, else at the edge."""
    end, used = 0, 0
    while end < len(text) and (used := used + escape.width(text[end])) <= room:
        end += 1
    blank = text.rfind(" ", end // 2, end)
    return blank + 1 if blank >= 0 else max(end, 1)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - escape.width(text))
