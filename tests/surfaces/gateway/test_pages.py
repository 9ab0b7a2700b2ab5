"""Pages from their wire form: the same text as the printer's, kept within bounds."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.v1 import agent_service_pb2, mail_pb2
from postroom.rpc.protojson import Pages, Printer, Unprintable
from postroom.rpc.protojson.pages import MOST_BYTES, Kept
from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.http import ask
from tests.surfaces.gateway.kinds import POOL, PRINTER, door, everything, new
from tests.surfaces.gateway.test_compiled import TYPES, messages

LISTS = [(pool, kind) for pool, kind in TYPES if Pages(Printer(pool)).of(kind)]
MAIL: Any = mail_pb2.Mail.DESCRIPTOR
# A number, a text, a fixed length of each kind and a group, all under numbers of nobody.
UNKNOWN = b"\xc8\x3e\x05\xca\x3e\x02hi\xcd\x3e1234\xc9\x3e12345678\xcb\x3e\xcc\x3e"


def outcome(printed: Callable[[], bytes]) -> bytes:
    try:
        return printed()
    except (Unprintable, DecodeError) as error:
        return type(error).__name__.encode()


def check(pool: DescriptorPool, kind: Any, *wires: bytes) -> None:
    """Print each from its wire form, from an empty store and from one that knows it."""
    printer = Printer(pool)
    page = Pages(printer).of(kind)
    assert page
    parse: Any = GetMessageClass(kind).FromString
    for wire in (*wires, *wires):
        wanted = outcome(lambda wire=wire: printer.text(parse(wire)).encode())  # type: ignore[misc]
        assert outcome(lambda wire=wire: page(wire)) == wanted  # type: ignore[misc]


@pytest.mark.parametrize(("pool", "kind"), LISTS, ids=[kind.full_name for _, kind in LISTS])
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_page_is_what_the_printer_prints(
    pool: DescriptorPool, kind: Any, data: st.DataObject
) -> None:
    one, other = (data.draw(messages(kind)).SerializePartialToString() for _ in range(2))
    # Fields twice, lists in pieces, and what nobody knows in between.
    check(pool, kind, one, other, one + UNKNOWN + other, other + one)


@settings(deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_the_parser_reads_them(wire: bytes) -> None:
    check(POOL, everything().DESCRIPTOR, wire)


@settings(deadline=None)
@given(st.data())
def test_a_damaged_page_is_read_as_the_parser_reads_it(data: st.DataObject) -> None:
    kind: Any = agent_service_pb2.ListMailResponse.DESCRIPTOR
    wire = data.draw(messages(kind)).SerializeToString()
    at = data.draw(st.integers(0, len(wire)))
    byte = bytes([data.draw(st.integers(0, 255))])
    check(POOL, kind, wire[:at], wire[:at] + byte + wire[at + 1 :])


def test_types_without_lists_of_messages_are_left_to_the_printer() -> None:
    pages = Pages(Printer(POOL))
    for name in ("test.Patch", "google.protobuf.ListValue", "google.protobuf.Struct"):
        kind: Any = POOL.FindMessageTypeByName(name)
        assert pages.of(kind) is None


def test_the_gateway_answers_a_page_the_same_each_time() -> None:
    answer = everything(text="t", inners=[new("test.Inner", text="<a>", number=1)] * 2)
    gateway = Gateway(door(answer), pool=POOL)
    wanted = PRINTER.text(answer).encode()
    assert [ask(gateway, "GET", "/q").body for _ in range(3)] == [wanted] * 3
    one_field = ask(gateway, "GET", "/answer/text")
    assert one_field.body == b'"t"'


class Counting(Printer):
    """Counts the messages that it prints."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def text(self, message: Message) -> str:
        self.count += 1
        return super().text(message)


def mails(*bodies: str) -> bytes:
    listed = [mail_pb2.Mail(body=body) for body in bodies]
    return agent_service_pb2.ListMailResponse(mail=listed).SerializeToString()


def test_a_message_that_was_printed_is_not_printed_again() -> None:
    printer = Counting()
    page = Pages(printer).of(agent_service_pb2.ListMailResponse.DESCRIPTOR)
    assert page
    page(mails("a", "b"))
    page(mails("b", "c", "a"))
    assert printer.count == 3


def test_two_types_with_the_same_bytes_are_kept_apart() -> None:
    kept = Kept()
    other: Any = agent_service_pb2.ListMailResponse.DESCRIPTOR
    assert kept.texts(MAIL, [b"x"], lambda _: b"mail") == [b"mail"]
    assert kept.texts(other, [b"x"], lambda _: b"list") == [b"list"]
    assert kept.texts(MAIL, [b"x"], lambda _: b"new") == [b"mail"]


def held(kept: Kept) -> int:
    halves = (kept._young, kept._old)
    return sum(
        len(wire) + len(text)
        for half in halves
        for texts in half.values()
        for wire, text in texts.items()
    )


def test_what_is_kept_has_a_bound_and_what_is_used_stays() -> None:
    kept, made = Kept(20_000), []

    def make(wire: bytes) -> bytes:
        made.append(wire)
        return wire * 2

    for number in range(500):
        kept.texts(MAIL, [b"often", b"%0100d" % number], make)
        assert held(kept) <= 20_000
    assert made.count(b"often") == 1
    assert made.count(b"%0100d" % 0) == 1
    kept.texts(MAIL, [b"%0100d" % 0], make)
    assert made.count(b"%0100d" % 0) == 2


def test_long_messages_are_not_kept() -> None:
    kept = Kept()
    assert kept.texts(MAIL, [b"x" * 70_000], lambda _: b"first") == [b"first"]
    assert kept.texts(MAIL, [b"x" * 70_000], lambda _: b"second") == [b"second"]
    assert held(kept) == 0 < MOST_BYTES
