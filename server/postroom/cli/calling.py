"""One call as a command makes it: who calls, the exchange with the server, the output."""

import json
from collections.abc import Mapping
from typing import Any

from postroom.cli.connection import post
from postroom.cli.environment import client
from postroom.cli.output import write
from postroom.cli.reply import response
from postroom.cli.terminal import tell
from postroom.rpc.contract import Spec


def call(spec: Spec, request: Mapping[str, Any], form: str | None, seconds: float) -> None:
    """Call a method and write what it returns."""
    who = client()
    answer = post(who, spec.full_name, json.dumps(request).encode(), seconds)
    value = response(answer, spec.output, who.url)
    if answer.ignored_fields:
        tell(f"warning: the server ignored fields that it does not know: {answer.ignored_fields}")
    write(form, answer.body.decode(), value, spec.output)
