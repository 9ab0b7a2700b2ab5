"""What reflection tells beyond the library's own answers."""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import Default
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest

from postroom.surfaces.reflection import _Servicer


@pytest.mark.parametrize(
    "asked",
    [
        {"file_by_filename": "agent/v1/mail.proto"},
        {"file_containing_symbol": "agent.v1.Mail"},
        {"file_containing_symbol": "agent.v1.AgentService.SendMail"},
    ],
    ids=str,
)
def test_every_field_has_the_json_name_that_the_descriptors_have(asked: dict[str, str]) -> None:
    servicer = _Servicer(("agent.v1.AgentService",))
    request = ServerReflectionRequest(**asked)
    ((kind, value),) = asked.items()
    answer = getattr(servicer, f"_{kind}")(request, value)
    files = answer.file_descriptor_response.file_descriptor_proto
    named = {
        f"{file.package}.{message.name}.{field.name}": field.json_name
        for file in map(FileDescriptorProto.FromString, files)
        for message in file.message_type
        for field in message.field
    }
    assert named["agent.v1.Mail.from_agent_id"] == "fromAgentId"
    for full_name, json_name in named.items():
        assert json_name == Default().FindFieldByName(full_name).json_name
