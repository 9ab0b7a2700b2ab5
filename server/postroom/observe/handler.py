"""What libraries and the server itself say through `logging`, into the same log."""

import logging
import traceback

from postroom.observe.sink import Fact, Sink


class SinkHandler(logging.Handler):
    """Hands records to the sink.

    An unexpected error may quote anything, a body too. So its text is only told at
    level debug; otherwise the log has its type and where it happened.
    """

    def __init__(self, sink: Sink, *, quotes: bool) -> None:
        super().__init__()
        self._sink = sink
        self._quotes = quotes

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record. What cannot be told at all is dropped."""
        try:
            facts: dict[str, Fact] = {"logger": record.name}
            if record.exc_info and record.exc_info[1]:
                facts |= _error(record.exc_info[1], quotes=self._quotes)
            facts |= getattr(record, "facts", {})
            self._sink.put(record.levelno, record.getMessage(), facts)
        except Exception:
            self._sink.dropped += 1


def _error(error: BaseException, *, quotes: bool) -> dict[str, Fact]:
    found: list[str] = []
    for each in _chain(error):
        told = f"{_type_name(each)}: {each}" if quotes else _type_name(each)
        frames = "".join(traceback.format_tb(each.__traceback__))
        found.append(f"Traceback (most recent call last):\n{frames}{told}")
    return {"error": _type_name(error), "stack": "\n".join(found)}


def _chain(error: BaseException) -> list[BaseException]:
    """The error behind all others first."""
    found: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in found:
        found.append(each)
        hidden = each.__suppress_context__
        each = each.__cause__ or (None if hidden else each.__context__)
    return found[::-1]


def _type_name(error: BaseException) -> str:
    kind = type(error)
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
