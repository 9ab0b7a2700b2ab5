"""Check a request against the rules that stand beside its fields in the proto."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postroom.errors import InvalidRequest, Violation, quoted
from postroom.rpc.contract import Contract, Field

Check = Callable[[Message, str], Sequence[Violation]]
# Tells what is wrong with a value.
Judge = Callable[[Any], Sequence[str]]
_FINE: Sequence[str] = ()
_NUL = "contains a NUL character; leave it out"


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

    def check(message: Message, path: str) -> Sequence[Violation]:
        if not field.repeated and not message.HasField(field.name):
            return ()
        values = _values(field, message, path)
        return [wrong for at, value in values for one in inner() for wrong in one(value, f"{at}.")]

    return check


def _required(field: Field) -> Check:
    is_single_message = field.message is not None and not field.repeated
    name = field.name

    def check(message: Message, path: str) -> Sequence[Violation]:
        given = message.HasField(name) if is_single_message else getattr(message, name)
        return () if given else (Violation(path + name, "is required; give it a value"),)

    return check


def _text(field: Field) -> Check:
    most = field.max_characters

    def judge(value: str) -> Sequence[str]:
        is_long, has_nul = 0 < most < len(value), "\0" in value
        if not (is_long or has_nul):
            return _FINE
        long = f"has {len(value):,} characters; at most {most:,} are allowed, shorten it"
        return ((long,) if is_long else ()) + ((_NUL,) if has_nul else ())

    return _each(field, judge)


def _max_bytes(field: Field) -> Check:
    most = field.max_bytes

    def judge(value: str | bytes) -> Sequence[str]:
        count = len(value if isinstance(value, bytes) else value.encode())
        if count <= most:
            return _FINE
        return (f"has {count:,} bytes; at most {most:,} are allowed, shorten it",)

    return _each(field, judge)


def _words(field: Field) -> Check:
    known = frozenset(field.choices)
    told = ", ".join(field.words)
    # An empty field that is required has been told so already.
    passed = {""} if field.required and not field.repeated else ()

    def judge(value: str) -> Sequence[str]:
        if value in known or value in passed:
            return _FINE
        return (f"cannot be {quoted(value)}; give one of {told}",)

    check = _each(field, judge)
    if not field.descriptor.has_presence:
        return check
    name = field.name
    return lambda message, path: check(message, path) if message.HasField(name) else ()


def _enum(field: Field, enum: EnumDescriptor) -> Check:
    known = frozenset(enum.values_by_number)
    names = ", ".join(enum.values_by_name)

    def judge(value: int) -> Sequence[str]:
        return _FINE if value in known else (f"has no value {value}; give one of {names}",)

    return _each(field, judge)


def _max_items(field: Field) -> Check:
    name, most = field.name, field.max_items

    def check(message: Message, path: str) -> Sequence[Violation]:
        count = len(getattr(message, name))
        if count <= most:
            return ()
        return (Violation(path + name, f"has {count:,} values; at most {most} are allowed"),)

    return check


def _minimum(field: Field, least: int) -> Check:
    def judge(value: int) -> Sequence[str]:
        return _FINE if value >= least else (f"must be {least} or more",)

    return _each(field, judge)


def _each(field: Field, judge: Judge) -> Check:
    """A check of each value of a field. Every call pays for it, so a good value costs little."""
    name = field.name

    def check_one(message: Message, path: str) -> Sequence[Violation]:
        return [Violation(path + name, told) for told in judge(getattr(message, name))]

    def check_many(message: Message, path: str) -> Sequence[Violation]:
        values = _values(field, message, path)
        return [Violation(at, told) for at, value in values for told in judge(value)]

    return check_many if field.repeated else check_one


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
