"""A refusal as google.rpc.Status, the same for every surface."""

import logging
import secrets
from collections.abc import Iterator

from google.protobuf.message import Message
from google.rpc import error_details_pb2 as details
from google.rpc.status_pb2 import Status

from postroom.errors import DOMAIN, Internal, Refusal

log = logging.getLogger(__name__)


def status(refusal: Refusal) -> Status:
    """Translate a refusal; ErrorInfo with reason and domain always comes first."""
    message = Status(code=refusal.code, message=refusal.message)
    for detail in _details(refusal):
        message.details.add().Pack(detail)
    return message


def refusal_of(error: BaseException) -> Refusal:
    """Return the refusal that an exception is, or hide what it says behind an id.

    The whole error goes to the log under the same id; the caller gets the id alone.
    """
    if isinstance(error, Refusal):
        return error
    number = secrets.token_hex(4)
    log.error("internal error %s", number, exc_info=error, extra={"facts": {"event": number}})
    return Internal(number)


def _details(refusal: Refusal) -> Iterator[Message]:
    yield details.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=dict(refusal.metadata))
    if refusal.violations:
        yield details.BadRequest(
            field_violations=[
                details.BadRequest.FieldViolation(field=v.field, description=v.description)
                for v in refusal.violations
            ]
        )
    for resource in refusal.resources:
        yield details.ResourceInfo(
            resource_type=resource.type,
            resource_name=resource.name,
            description=resource.description,
        )
    if refusal.quota:
        violation = details.QuotaFailure.Violation(
            subject=refusal.quota.subject, description=refusal.quota.description
        )
        yield details.QuotaFailure(violations=[violation])
    if refusal.retry_after is not None:
        retry = details.RetryInfo()
        retry.retry_delay.FromMilliseconds(round(refusal.retry_after * 1000))
        yield retry
