"""Call a target once with a real client, and look at what it answers."""

import http.client
import json
from typing import Any

import grpc

from agent.v1 import agent_service_pb2 as messages
from bench.people import BODY
from bench.target import Target
from bench.trouble import Trouble

PAGE = 50
CLAIM = 10
_SECONDS = 10


def answer(target: Target) -> bytes:
    """What one call returns, as bare bytes. Raises Trouble when it fails."""
    return _grpc(target) if target.protocol == "grpc" else _http(target)


def _grpc(target: Target) -> bytes:
    own = ("content-type", "te")
    metadata = [(k, v) for k, v in target.headers.items() if k not in own]
    with grpc.insecure_channel(f"127.0.0.1:{target.port}") as channel:
        method: Any = channel.unary_unary(target.path)
        try:
            return bytes(method(target.body, metadata=metadata, timeout=_SECONDS))
        except grpc.RpcError as error:
            raise Trouble(f"{target.path}: {error}") from None


def _http(target: Target) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=_SECONDS)
    verb = "POST" if target.body else "GET"
    connection.request(verb, target.path, target.body or None, dict(target.headers))
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != http.client.OK:
        raise Trouble(f"{target.path}: HTTP {response.status}: {body[:500]!r}")
    return body


def must_be_sent(target: Target, raw: bytes) -> None:
    """Look for the mail in an answer of SendMail."""
    if target.protocol == "http":
        body = json.loads(raw)["mail"]["body"]
    else:
        body = messages.SendMailResponse.FromString(raw).mail.body
    _must(target, is_right=body == BODY)


def must_be_page(target: Target, raw: bytes) -> None:
    """Look for 50 rows and a further page in an answer of ListMail."""
    if target.protocol == "http":
        told = json.loads(raw)
        rows, token = len(told["mail"]), told["nextPageToken"]
    else:
        page = messages.ListMailResponse.FromString(raw)
        rows, token = len(page.mail), page.next_page_token
    _must(target, is_right=rows == PAGE and bool(token))


def must_be_claimed(target: Target, raw: bytes) -> None:
    """Look for ten pieces in an answer of ReadMail."""
    claimed = messages.ReadMailResponse.FromString(raw).mail
    _must(target, is_right=len(claimed) == CLAIM and all(mail.claimed_at for mail in claimed))


def _must(target: Target, *, is_right: bool) -> None:
    if not is_right:
        raise Trouble(f"{target.path} gave an unexpected answer")
