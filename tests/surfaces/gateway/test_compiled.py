"""The compiled printer against a plain loop over the fields: every byte is the same."""

from functools import cache, partial
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.v1 import agent_pb2, agent_service_pb2, mail_pb2, pagination_pb2
from postroom.rpc.protojson import Printer, Unprintable
from postroom.rpc.protojson.compiled import Print, key
from tests.surfaces.gateway.kinds import ENUMS, POOL
from tests.surfaces.gateway.protos import F, pool_of

# Names that are words of Python, members that may all be absent, and a type without any.
ODD = {
    "Odd": "oneof:one string from=1; oneof:one int32 class=2; optional Color None=3;"
    "optional bytes lambda=4; bool def=5; repeated Odd import=6; oneof:one Nothing is=7",
    "Free": "optional string a=1; optional double b=2; oneof:c bool d=3; oneof:c Odd e=4",
    "Nothing": "",
}
ODD_POOL = pool_of("odd", ODD, ENUMS)
CONTRACT = (agent_pb2, agent_service_pb2, mail_pb2, pagination_pb2)


class Reference(Printer):
    """Prints field after field."""

    def _every_field(self, descriptor: Descriptor) -> Print:
        return partial(self._loop, [(field, self.value(field)) for field in descriptor.fields])

    def _loop(self, prints: list[tuple[FieldDescriptor, Print]], message: Message) -> str:
        members = ""
        for field, one in prints:
            if not field.has_presence or message.HasField(field.name):
                members += key(field.json_name) + one(getattr(message, field.name))
            elif not field.containing_oneof:
                members += f"{key(field.json_name)}null"
        return f"{{{members[1:]}}}"


def defaults_pool() -> DescriptorPool:
    """Make a type of proto2, where an unset field may have a value that counts as true."""
    file = FileDescriptorProto(name="old.proto", package="old", syntax="proto2")
    message = file.message_type.add(name="Old")
    for number, (name, type_, default) in enumerate(
        [("text", F.TYPE_STRING, "x"), ("count", F.TYPE_INT32, "7"), ("flag", F.TYPE_BOOL, "true")],
        1,
    ):
        message.field.add(
            name=name, number=number, type=type_, label=F.LABEL_OPTIONAL, default_value=default
        )
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def types() -> list[tuple[DescriptorPool, Any]]:
    """Return every type of the contract and of the tests' protos, with its pool."""
    contract = [
        (Default(), one) for m in CONTRACT for one in m.DESCRIPTOR.message_types_by_name.values()
    ]
    odd = [(ODD_POOL, ODD_POOL.FindMessageTypeByName(f"odd.{name}")) for name in ODD]
    all_kinds = [(POOL, POOL.FindMessageTypeByName(f"test.{n}")) for n in ("All", "Patch", "Inner")]
    old = defaults_pool()
    return [*contract, *odd, *all_kinds, (old, old.FindMessageTypeByName("old.Old"))]


@cache
def messages(descriptor: Any, depth: int = 2) -> st.SearchStrategy[Any]:
    """Return a strategy for messages, some fields set and some not."""
    fields = {
        one.name: _field(one, depth)
        for one in descriptor.fields
        if not one.message_type or (depth and not one.message_type.GetOptions().map_entry)
    }
    made = GetMessageClass(descriptor)
    return st.fixed_dictionaries({}, optional=fields).map(lambda values: made(**values))


def _field(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    one = messages(field.message_type, depth - 1) if field.message_type else _scalar(field)
    return st.lists(one, max_size=3) if field.is_repeated else one


def _scalar(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    whole = {
        FieldDescriptor.CPPTYPE_INT32: st.integers(-(2**31), 2**31 - 1),
        FieldDescriptor.CPPTYPE_INT64: st.integers(-(2**63), 2**63 - 1),
        FieldDescriptor.CPPTYPE_UINT32: st.integers(0, 2**32 - 1),
        FieldDescriptor.CPPTYPE_UINT64: st.integers(0, 2**64 - 1),
        # Numbers without a name among them.
        FieldDescriptor.CPPTYPE_ENUM: st.integers(-1, 5),
        FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
        FieldDescriptor.CPPTYPE_FLOAT: st.floats(width=32),
        FieldDescriptor.CPPTYPE_DOUBLE: st.floats(),
    }
    texts = st.binary(max_size=9) if field.type == FieldDescriptor.TYPE_BYTES else _TEXT
    return whole.get(field.cpp_type, texts)


_TEXT = st.text(max_size=12) | st.text(
    '"\\/\b\f\n\r\t\x00\x1f\x7f%{}\u2028\ud7ff\ue000😀a', max_size=9
)


TYPES = types()
EVERY_TYPE = pytest.mark.parametrize(
    ("pool", "descriptor"), TYPES, ids=[one.full_name for _, one in TYPES]
)


def outcome(printer: Printer, message: Message) -> str:
    """Return the text, or why there is none."""
    try:
        return printer.text(message)
    except Unprintable as error:
        return f"unprintable: {error}"


@EVERY_TYPE
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_type_is_printed_as_field_after_field(
    pool: DescriptorPool, descriptor: Any, data: st.DataObject
) -> None:
    message = data.draw(messages(descriptor))
    assert outcome(Printer(pool), message) == outcome(Reference(pool), message)


@EVERY_TYPE
def test_a_message_with_nothing_set_is_printed_as_field_after_field(
    pool: DescriptorPool, descriptor: Any
) -> None:
    message = GetMessageClass(descriptor)()
    assert outcome(Printer(pool), message) == outcome(Reference(pool), message)


def test_what_may_be_absent_leaves_no_comma() -> None:
    printer = Printer(ODD_POOL)
    free = GetMessageClass(ODD_POOL.FindMessageTypeByName("odd.Free"))
    assert printer.text(free()) == "{}"
    assert printer.text(free(a="")) == '{"a":""}'
    assert printer.text(free(b=-0.0, d=False)) == '{"b":-0,"d":false}'
    assert printer.text(GetMessageClass(ODD_POOL.FindMessageTypeByName("odd.Nothing"))()) == "{}"
