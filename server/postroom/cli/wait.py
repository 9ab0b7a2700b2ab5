"""`postroom wait`: ends when mail waits for the caller."""

import math
from typing import Any

import click

from postroom.cli.command import contract, json_switch, output_choice
from postroom.cli.environment import NAMES
from postroom.cli.failure import INTERRUPTED, NOTHING_CAME, Failure

_TEXT = f"""Wait until mail waits for you, and print it without claiming it.

Ends at once when some waits already. Ends with status {NOTHING_CAME} when none came in time. A
restart of the server in between does not end the wait. Take the mail with `postroom read`.
"""
# On top of the wait itself, for the answer to arrive.
_ANSWER_SECONDS = 5


def make(name: str) -> click.Command:
    """Make the command."""
    time_out = click.Option(
        ["seconds", "--timeout"],
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="How long to wait at most; for ever when it is not given.",
    )
    params: list[click.Parameter] = [time_out, output_choice(), json_switch()]
    return click.Command(name, params=params, callback=_run, help=_TEXT, epilog=NAMES)


def _run(seconds: float | None, form: str | None, as_json: bool) -> None:
    try:
        _wait(math.inf if seconds is None else seconds, "json" if as_json else form)
    except KeyboardInterrupt:
        raise Failure("cancelled", "interrupted", INTERRUPTED) from None


def _wait(seconds: float, form: str | None) -> None:
    # Imported now: help is shown without what only a call needs.
    from postroom.cli.calling import ask
    from postroom.cli.output import write
    from postroom.cli.waiting import Wait

    spec = next(spec for spec in contract().specs if spec.name == "WaitForMail")

    def look(patience: int) -> tuple[str, Any] | None:
        answer, value = ask(spec, {"timeoutSeconds": patience}, patience + _ANSWER_SECONDS)
        return (answer.body.decode(), value) if value.get("mail") else None

    document, value = Wait(seconds).until(look)
    write(form, document, value, spec.output)
