"""Check a request against the rules that stand beside its fields in the proto."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postroom.errors import InvalidRequest, Violation, quoted
from postroom.rpc.contract import Contract, Field

Check = Callable[[Message, str], Iterator[Violation]]


def checker(contract: Contract, fields: Iterable[Field]) -> Callable[[Message], None]:
    """Return a function that raises InvalidRequest naming each field that is wrong.

    Text is counted in Unicode code points. NUL is refused in every text, because
    not every database can store it.
    """
    checks = [check for field in fields for check in _checks(contract, field)]

    def check_all(request: Message) -> None:
        wrong = [violation for check in checks for violation in check(request, "")]
        if wrong:
            raise InvalidRequest(*wrong)

    return check_all


def _checks(contract: Contract, field: Field) -> Iterator[Check]:
    if field.required:
        yield _required(field)
    if field.max_items:
        yield _max_items(field)
    if field.message is not None:
        yield _nested(contract, field, field.message)
    if field.is_text:
        yield _text(field)
    if field.max_bytes:
        yield _max_bytes(field)
    if field.words:
        yield _words(field)
    if field.enum is not None:
        yield _enum(field, field.enum)
    if field.minimum is not None:
        yield _minimum(field, field.minimum)


def _nested(contract: Contract, field: Field, nested: Descriptor) -> Check:
    # Made when it is first needed, because a message may hold one of its own kind.
    @cache
    def inner() -> Sequence[Check]:
        return [check for each in contract.fields(nested) for check in _checks(contract, each)]

    def check(message: Message, path: str) -> Iterator[Violation]:
        if not field.repeated and not message.HasField(field.name):
            return
        for at, value in _values(field, message, path):
            for one in inner():
                yield from one(value, f"{at}.")

    return check


def _required(field: Field) -> Check:
    is_single_message = field.message is not None and not field.repeated

    def check(message: Message, path: str) -> Iterator[Violation]:
        given = message.HasField(field.name) if is_single_message else getattr(message, field.name)
        if not given:
            yield Violation(path + field.name, "is required; give it a value")

    return check


def _text(field: Field) -> Check:
    most = field.max_characters

    def check(message: Message, path: str) -> Iterator[Violation]:
        for at, value in _values(field, message, path):
            if most and len(value) > most:
                yield Violation(
                    at, f"has {len(value):,} characters; at most {most:,} are allowed, shorten it"
                )
            if "\0" in value:
                yield Violation(at, "contains a NUL character; leave it out")

    return check


def _max_bytes(field: Field) -> Check:
    most = field.max_bytes

    def check(message: Message, path: str) -> Iterator[Violation]:
        for at, value in _values(field, message, path):
            count = len(value if isinstance(value, bytes) else value.encode())
            if count > most:
                yield Violation(
                    at, f"has {count:,} bytes; at most {most:,} are allowed, shorten it"
                )

    return check


def _words(field: Field) -> Check:
    known = frozenset(field.choices)
    told = ", ".join(field.words)
    # An empty field that is required has been told so already.
    passed = {""} if field.required and not field.repeated else ()

    def check(message: Message, path: str) -> Iterator[Violation]:
        if field.descriptor.has_presence and not message.HasField(field.name):
            return
        for at, value in _values(field, message, path):
            if value not in known and value not in passed:
                yield Violation(at, f"cannot be {quoted(value)}; give one of {told}")

    return check


def _enum(field: Field, enum: EnumDescriptor) -> Check:
    known = frozenset(enum.values_by_number)
    names = ", ".join(enum.values_by_name)

    def check(message: Message, path: str) -> Iterator[Violation]:
        for at, value in _values(field, message, path):
            if value not in known:
                yield Violation(at, f"has no value {value}; give one of {names}")

    return check


def _max_items(field: Field) -> Check:
    def check(message: Message, path: str) -> Iterator[Violation]:
        count = len(getattr(message, field.name))
        if count > field.max_items:
            yield Violation(
                path + field.name, f"has {count:,} values; at most {field.max_items} are allowed"
            )

    return check


def _minimum(field: Field, least: int) -> Check:
    def check(message: Message, path: str) -> Iterator[Violation]:
        if getattr(message, field.name) < least:
            yield Violation(path + field.name, f"must be {least} or more")

    return check


def _values(field: Field, message: Message, path: str) -> Iterator[tuple[str, Any]]:
    value = getattr(message, field.name)
    if not field.repeated:
        yield path + field.name, value
    elif field.message is not None and field.message.GetOptions().map_entry:
        entry = GetMessageClass(field.message)
        for key in value:
            yield f"{path}{field.name}[{key}]", entry(key=key, value=value[key])
    else:
        for i, item in enumerate(value):
            yield f"{path}{field.name}[{i}]", item
