"""Sends, lists, reads, fails and watches with the stubs of the wheel.

Takes HOST:PORT and the id of an agent. Runs in a virtual environment that holds the
wheel and what it needs, and nothing else.
"""

import sys
from typing import Any

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from agent.v1 import agent_service_pb2 as pb
from agent.v1 import agent_service_pb2_grpc

_SECONDS = 30


def run(channel: grpc.Channel, agent: str) -> None:
    """Print what was seen."""
    stub: Any = agent_service_pb2_grpc.AgentServiceStub(channel)
    own = (("postroom-agent-id", agent),)
    sent = stub.SendMail(pb.SendMailRequest(to=agent, body="from Python"), timeout=_SECONDS)
    print("send", sent.mail.id)
    listed = stub.ListMail(pb.ListMailRequest(), metadata=own, timeout=_SECONDS)
    print("list", len(listed.mail))
    read = stub.ReadMail(pb.ReadMailRequest(), metadata=own, timeout=_SECONDS)
    print("read", read.mail[0].body)
    _fail(stub)
    health: Any = health_pb2_grpc.HealthStub(channel)
    first = next(health.Watch(health_pb2.HealthCheckRequest(), timeout=_SECONDS))
    print("stream", health_pb2.HealthCheckResponse.ServingStatus.Name(first.status))


def _fail(stub: Any) -> None:
    try:
        stub.GetAgent(pb.GetAgentRequest(id="nobody"), timeout=_SECONDS)
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        for detail in status.details:
            info = ErrorInfo()
            if detail.Unpack(info):
                print("error", grpc.StatusCode(error.code()).name, info.reason)


if __name__ == "__main__":
    with grpc.insecure_channel(sys.argv[1]) as opened:
        run(opened, sys.argv[2])
