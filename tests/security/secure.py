"""Clients of a server that speaks TLS."""

import http.client
import json
import ssl
from typing import Any

import grpc

from postroom.rpc import contract
from tests.acceptance.doors import Refused, refusal
from tests.security.certificates import Authority, Pair

_SPECS = {spec.name: spec for spec in contract.load().specs}
_SECONDS = 10.0


def context(authority: Authority, client: Pair | None = None) -> ssl.SSLContext:
    """What a client trusts and shows."""
    made = ssl.create_default_context(cafile=authority.certificate)
    if client:
        made.load_cert_chain(client.certificate, client.key)
    return made


def ask_https(
    address: str, trusted: ssl.SSLContext, method: str, token: str = "", **headers: str
) -> tuple[int, Any]:
    """Call by JSON with an empty request; the status and the answer."""
    told = {"Content-Type": "application/json"} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    if token:
        told["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPSConnection(address, timeout=_SECONDS, context=trusted)
    try:
        connection.request("POST", f"/{_SPECS[method].full_name}", b"{}", told)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def secure_channel(address: str, authority: Authority, client: Pair | None = None) -> grpc.Channel:
    """A gRPC channel of its own connection."""
    credentials = grpc.ssl_channel_credentials(
        authority.certificate.read_bytes(),
        client.key.read_bytes() if client else None,
        client.certificate.read_bytes() if client else None,
    )
    options = (("grpc.use_local_subchannel_pool", 1),)
    return grpc.secure_channel(address, credentials, options=options)


def ask_grpc(channel: grpc.Channel, method: str, token: str = "", agent_id: str = "") -> Any:
    """Call with an empty request and return the response. Raises Refused."""
    spec = _SPECS[method]
    proof = (("authorization", f"Bearer {token}"),) if token else ()
    named = (("postroom-agent-id", agent_id),) if agent_id else ()
    call: Any = channel.unary_unary(f"/{spec.full_name}")
    try:
        answer = call(b"", timeout=_SECONDS, metadata=(*proof, *named))
    except grpc.RpcError as error:
        raise refusal(error) from None
    return spec.response_class.FromString(answer)


def refused(channel: grpc.Channel, method: str, **given: str) -> str:
    """The code and the reason of a call that must not succeed."""
    try:
        answer = ask_grpc(channel, method, **given)
    except Refused as refused_:
        return f"{refused_.code} {refused_.reason}"
    raise AssertionError(f"was not refused: {answer}")
