"""Failures as google.rpc.Status, and the HTTP status of each code."""

import logging
from typing import Final

from google.protobuf.message import Message
from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status

from postroom.errors import Code
from postroom.rpc.protojson import JsonInvalid, Printer, Unprintable
from postroom.rpc.status import refusal_of, status
from postroom.surfaces.gateway.asgi import Header

log = logging.getLogger(__name__)

HTTP_OK: Final = 200
INTERNAL_ERROR: Final = 500
# What a refusal for want of proof must come with (RFC 9110, 11.6.1).
CHALLENGE: Final[Header] = ("www-authenticate", "Bearer")
_HTTP: Final = {
    0: HTTP_OK,
    Code.CANCELLED: 499,
    Code.INVALID_ARGUMENT: 400,
    Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404,
    Code.ALREADY_EXISTS: 409,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    11: 400,
    Code.UNIMPLEMENTED: 501,
    Code.UNAVAILABLE: 503,
    Code.UNAUTHENTICATED: 401,
}


class Failure(Exception):
    """A failure that is a Status already: the gateway's own, or one from another server.

    The gateway's own carry no details, as grpc-gateway's do not.
    """

    def __init__(self, status: Status, http: int | None = None) -> None:
        super().__init__(status.message)
        self.status = status
        self.http = _HTTP.get(status.code, INTERNAL_ERROR) if http is None else http
        self.headers: tuple[Header, ...] = ()

    def with_headers(self, *headers: Header) -> "Failure":
        """Add headers to the answer."""
        self.headers += headers
        return self


def failure(code: int, message: str, http: int | None = None) -> Failure:
    """Return a failure of the gateway's own."""
    return Failure(Status(code=code, message=message), http)


def invalid(message: str) -> Failure:
    """Return the failure of a request that cannot be read."""
    return failure(Code.INVALID_ARGUMENT, message)


def failure_of(error: BaseException) -> Failure:
    """Return the failure that any error is; what is unexpected is logged and not told."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, JsonInvalid):
        return invalid(error.message)
    told = Failure(status(refusal_of(error)))
    return told.with_headers(CHALLENGE) if told.status.code == Code.UNAUTHENTICATED else told


def code_and_reason(failed: Failure) -> tuple[Code, str]:
    """What a failure is counted as; the gateway's own have no reason but their code."""
    code = Code(failed.status.code)
    info = error_details_pb2.ErrorInfo()
    for detail in failed.status.details:
        if detail.Unpack(info):
            return code, info.reason
    return code, "BAD_REQUEST" if code is Code.INVALID_ARGUMENT else code.name


def printable(found: Status, printer: Printer) -> Status:
    """Return the status without the details that cannot be printed."""
    kept = Status(code=found.code, message=found.message)
    for detail in found.details:
        if _prints(detail, printer):
            kept.details.append(detail)
        else:
            log.warning("dropped an error detail of type %r, unknown here", detail.type_url)
    return kept


def _prints(detail: Message, printer: Printer) -> bool:
    try:
        printer.text(detail)
    except Unprintable:
        return False
    return True
