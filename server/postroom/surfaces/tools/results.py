"""What a call of a tool ends with: plain values and text, not yet in the library's types."""

from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import Message

from postroom.errors import Refusal
from postroom.rpc.contract import Spec
from postroom.surfaces.tools import structured
from postroom.surfaces.tools.frame import framed
from postroom.surfaces.tools.spelling import CAMEL, Spelling, spelling_of
from postroom.surfaces.tools.structured import Value
from postroom.surfaces.tools.visible import harmless
from postroom.token import RandomBytes


@dataclass(frozen=True, slots=True)
class Result:
    """The structured form, the text form, and whether the call was refused."""

    value: Value
    text: str
    is_error: bool = False


def success(spec: Spec, response: Message, random_bytes: RandomBytes) -> Result:
    """The result of a call that was answered."""
    spelling = spelling_of(spec)
    value = structured.of_response(response, spelling)
    text = framed(spec.snake_name, spec.output, value, random_bytes, spelling)
    return Result(value, text)


def refused(refusal: Refusal, spelling: Spelling = CAMEL) -> Result:
    """The result of a call that was refused: the model reads why and what to do."""
    value = structured.of_refusal(refusal, spelling)
    return Result(value, "\n".join(_lines(refusal)), is_error=True)


def _lines(refusal: Refusal) -> Iterator[str]:
    yield f"{refusal.code.name.lower()} ({refusal.reason}): {_line(refusal.message)}"
    # The message of a refusal of fields has each of them already.
    for resource in refusal.resources:
        told = f"{resource.type} {resource.name}: {resource.description}"
        if resource.description != refusal.message:
            yield _line(told)
    for name, fact in refusal.metadata.items():
        yield _line(f"{name}: {fact}")
    if refusal.retry_after is not None:
        yield f"try again in {refusal.retry_after:g} s"


def _line(text: str) -> str:
    return harmless(text).replace("\n", "\\n").replace("\r", "\\r")
