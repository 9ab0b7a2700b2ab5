"""The log of a server: opened before anything else, closed after everything else."""

import asyncio
import logging
import sys
from typing import Any

from postroom.observe.calls import CallLog
from postroom.observe.forms import as_json, as_text
from postroom.observe.handler import SinkHandler
from postroom.observe.sink import Sink

_log = logging.getLogger(__name__)

AUTO, TEXT = "auto", "text"


class Log:
    """Everything goes to stderr through one sink, a line for each thing that happened."""

    def __init__(self, *, level: str, form: str, calls: str) -> None:
        """`level` names the least grave line, `form` is auto, json or text.

        auto is text on a terminal and JSON elsewhere. `calls` says of which calls there
        is a line: none, refused, all.
        """
        self._level = logging.getLevelNamesMapping()[level.upper()]
        is_text = form == TEXT or (form == AUTO and sys.stderr.isatty())
        self.sink = Sink(sys.stderr.fileno(), as_text if is_text else as_json)
        self.calls = CallLog(self.sink, calls, self._level)

    def take_over(self) -> None:
        """Let everything that is logged in this process go here."""
        handler = SinkHandler(self.sink, quotes=self._level <= logging.DEBUG)
        logging.basicConfig(level=self._level, handlers=[handler], force=True)
        logging.captureWarnings(capture=True)
        if self._level > logging.DEBUG:
            # It tells of each start and stop of a listener, which stdout does as well.
            logging.getLogger("uvicorn").setLevel(logging.WARNING)

    def close(self) -> None:
        """Write what waits."""
        logging.shutdown()
        self.sink.close()


def hear(loop: asyncio.AbstractEventLoop) -> None:
    """Let an event loop tell its errors without quoting them, as asyncio itself would."""

    def told(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        # What follows a bracket are the arguments of a callback.
        message = str(context["message"]).partition("(")[0]
        _log.error("%s", message, exc_info=context.get("exception"))

    loop.set_exception_handler(told)
