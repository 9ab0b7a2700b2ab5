"""A message in wire form, cut into the messages of its lists and the rest of it.

protobuf does the cutting: to the wire a list of messages is a list of bytes, so it is
read as a type that has nothing else. What that type does not know it keeps as it came.
"""

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_NAME = "cut"
# The rest of the message, and the messages of each list.
Cut = Callable[[bytes], tuple[bytes, list[list[bytes]]]]


def cutting(lists: Sequence[FieldDescriptor]) -> Cut:
    """Make the function that cuts these fields out. It raises DecodeError, as parsing does."""
    kind: Any = GetMessageClass(_kind(lists))
    names = [field.name for field in lists]

    def cut(wire: bytes) -> tuple[bytes, list[list[bytes]]]:
        message = kind.FromString(wire)
        found = [list(getattr(message, name)) for name in names]
        for name in names:
            message.ClearField(name)
        return message.SerializeToString(), found

    return cut


def _kind(lists: Sequence[FieldDescriptor]) -> Any:
    file = FileDescriptorProto(name=f"{_NAME}.proto", syntax="proto3")
    message = file.message_type.add(name=_NAME)
    for field in lists:
        message.field.add(
            name=field.name,
            number=field.number,
            type=FieldDescriptorProto.TYPE_BYTES,
            label=FieldDescriptorProto.LABEL_REPEATED,
        )
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindMessageTypeByName(_NAME)
