"""Server reflection, in both versions that clients ask for.

The library has v1alpha only. v1 has the same messages under another package, so
the same servicer answers both, and v1's descriptor is made from v1alpha's.
"""

import contextlib
from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import Default
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

_ALPHA, _STABLE = "grpc.reflection.v1alpha", "grpc.reflection.v1"
_SERVICE = "ServerReflection"


def add_reflection(server: Any, services: Sequence[str]) -> None:
    """Serve reflection of these services and of itself."""
    _add_stable_descriptor()
    listed = (*services, f"{_ALPHA}.{_SERVICE}", f"{_STABLE}.{_SERVICE}")
    servicer = _Servicer(listed)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(servicer, server)
    stable = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    handler = grpc.method_handlers_generic_handler(
        f"{_STABLE}.{_SERVICE}", {"ServerReflectionInfo": stable}
    )
    server.add_generic_rpc_handlers((handler,))


class _Servicer(reflection.aio.ReflectionServicer):  # type: ignore[misc,unused-ignore]
    """Finds methods too, which the descriptor pool does not count among its symbols.

    Gives every field its JSON name, which generated Python code leaves out: grpcurl
    would print from_agent_id where all others print fromAgentId.
    """

    def _file_by_filename(self, request: Any, filename: str) -> Any:
        return _with_json_names(super()._file_by_filename(request, filename))

    def _file_containing_symbol(self, request: Any, fully_qualified_name: str) -> Any:
        symbol = fully_qualified_name
        with contextlib.suppress(KeyError):
            method = Default().FindMethodByName(symbol)  # type: ignore[no-untyped-call,unused-ignore]
            symbol = method.containing_service.full_name
        return _with_json_names(super()._file_containing_symbol(request, symbol))


def _with_json_names(response: Any) -> Any:
    files = response.file_descriptor_response.file_descriptor_proto
    for i, described in enumerate(list(files)):
        file = FileDescriptorProto.FromString(described)
        for message in file.message_type:
            _name_fields(message)
        files[i] = file.SerializeToString()
    return response


def _name_fields(message: DescriptorProto) -> None:
    for field in message.field:
        if not field.json_name:
            first, *rest = field.name.split("_")
            field.json_name = first + "".join(word[:1].upper() + word[1:] for word in rest)
    for nested in message.nested_type:
        _name_fields(nested)


def _add_stable_descriptor() -> None:
    described = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(described)
    described.name = "grpc/reflection/v1/reflection.proto"
    described.package = _STABLE
    for message in described.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = field.type_name.replace(f".{_ALPHA}.", f".{_STABLE}.")
    for service in described.service:
        for method in service.method:
            method.input_type = method.input_type.replace(f".{_ALPHA}.", f".{_STABLE}.")
            method.output_type = method.output_type.replace(f".{_ALPHA}.", f".{_STABLE}.")
    Default().Add(described)  # type: ignore[no-untyped-call,unused-ignore]
