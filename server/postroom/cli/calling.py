"""One call as a command makes it: who calls, the exchange with the server, the output."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from postroom.cli.command import Then
from postroom.cli.connection import Answer, post
from postroom.cli.environment import Client, client, operator_token
from postroom.cli.failure import Failure
from postroom.cli.output import write
from postroom.cli.reply import response
from postroom.cli.terminal import tell
from postroom.rpc.contract import Spec

Json = Mapping[str, Any]


def call(
    spec: Spec, request: Json, form: str | None, seconds: float, then: Then | None = None
) -> None:
    """Call a method, and perhaps one more, and write what they return."""
    answer, value = ask(spec, request, seconds)
    document = answer.body.decode()
    if then is not None:
        try:
            _, more = ask(then.spec, then.request(value), seconds)
        except Failure:
            # The first call has been done, so its answer must not be lost.
            write(form, document, value, spec.output)
            raise
        value = {**value, **more}
        document = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    write(form, document, value, spec.output)


def ask(spec: Spec, request: Json, seconds: float) -> tuple[Answer, Json]:
    """Make one call as the variables say: the answer, and its JSON. Raises Failure."""
    who = client()
    try:
        return ask_as(who, spec, request, seconds)
    except Failure as refused:
        token = operator_token(who) if refused.reason == "TOKEN_REQUIRED" else ""
        if not token:
            raise
        return ask_as(replace(who, token=token), spec, request, seconds)


def ask_as(who: Client, spec: Spec, request: Json, seconds: float) -> tuple[Answer, Json]:
    """Make one call as somebody. Raises Failure."""
    body = json.dumps(request).encode()
    if len(body) > spec.max_request_bytes:
        raise _too_large(len(body), spec.max_request_bytes)
    answer = post(who, spec.full_name, body, seconds)
    value = response(answer, spec.output, who.url)
    if answer.ignored_fields:
        tell(f"warning: the server ignored fields that it does not know: {answer.ignored_fields}")
    return answer, value


def _too_large(size: int, most: int) -> Failure:
    # Imported now: hardly any call needs it.
    from postroom.errors import RequestTooLarge

    refusal = RequestTooLarge(size, most)
    return Failure(refusal.code.name.lower(), refusal.message, reason=refusal.reason)
