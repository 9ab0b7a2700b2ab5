"""Refusals and other errors as google.rpc.Status."""

import logging
from urllib.parse import quote

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2 as details

from postroom.errors import (
    Code,
    Expired,
    NotFound,
    QuotaSpent,
    Refusal,
    Resource,
    Violation,
    quoted,
)
from postroom.errors import InvalidRequest as Invalid
from postroom.errors import NameAmbiguous as Ambiguous
from postroom.rpc.status import refusal_of, status
from postroom.storage.failures import StoreFailure


def _unpacked(packed: AnyMessage, kind: type[Message]) -> Message:
    message = kind()
    assert packed.Unpack(message)
    return message


def _kinds(refusal: Refusal) -> list[str]:
    return [packed.TypeName().rpartition(".")[2] for packed in status(refusal).details]


@pytest.mark.parametrize(
    ("refusal", "kinds"),
    [
        (Expired(), ["ErrorInfo"]),
        (Invalid(Violation("to", "x"), Violation("body", "y")), ["ErrorInfo", "BadRequest"]),
        (NotFound("agent", "alfa", "none"), ["ErrorInfo", "ResourceInfo"]),
        (
            Ambiguous("alfa", (Resource("agent", "a"), Resource("agent", "b"))),
            ["ErrorInfo", "BadRequest", "ResourceInfo", "ResourceInfo"],
        ),
        (QuotaSpent("full", "MAILBOX_FULL", "agent:a", 2), ["ErrorInfo", "QuotaFailure"]),
        (StoreFailure("busy"), ["ErrorInfo", "RetryInfo"]),
        (StoreFailure("corrupt"), ["ErrorInfo"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_reason_comes_first_and_the_facts_behind_it(refusal: Refusal, kinds: list[str]) -> None:
    told = status(refusal)
    assert (told.code, told.message) == (refusal.code, str(refusal))
    assert _kinds(refusal) == kinds
    info = _unpacked(told.details[0], details.ErrorInfo)
    assert info == details.ErrorInfo(
        reason=refusal.reason, domain="postroom", metadata=dict(refusal.metadata)
    )


def test_every_violation_is_told_by_field() -> None:
    told = status(Invalid(Violation("to", "x"), Violation("pagination.limit", "y")))
    bad = _unpacked(told.details[1], details.BadRequest)
    violation = details.BadRequest.FieldViolation
    assert bad == details.BadRequest(
        field_violations=[
            violation(field="to", description="x"),
            violation(field="pagination.limit", description="y"),
        ]
    )


def test_a_resource_is_told_by_type_and_name() -> None:
    told = status(NotFound("agent", "alfa", "nobody is called that"))
    assert _unpacked(told.details[1], details.ResourceInfo) == details.ResourceInfo(
        resource_type="agent", resource_name="alfa", description="nobody is called that"
    )


def test_a_limit_is_told_by_whose_it_is() -> None:
    told = status(QuotaSpent("full", "MAILBOX_FULL", "agent:a", 2))
    failure = _unpacked(told.details[1], details.QuotaFailure)
    violation = details.QuotaFailure.Violation(subject="agent:a", description="full")
    assert failure == details.QuotaFailure(violations=[violation])


def test_a_time_to_retry_is_told_where_there_is_one() -> None:
    told = status(Refusal("x", Code.UNAVAILABLE, "X", retry_after=1.25))
    retry = _unpacked(told.details[1], details.RetryInfo)
    assert retry == details.RetryInfo(retry_delay=Duration(seconds=1, nanos=250_000_000))


@pytest.mark.parametrize(
    "refusal",
    [
        Ambiguous("n" * 64, tuple(Resource("agent", "a" * 30, "w" * 39) for _ in range(500))),
        Invalid(*(Violation(f"agent_ids[{n}]", "contains a NUL character") for n in range(500))),
        NotFound("workflow", "\N{GRINNING FACE}" * 10_000, quoted("\N{GRINNING FACE}" * 10_000)),
    ],
    ids=lambda refusal: type(refusal).__name__,
)
def test_no_refusal_outgrows_the_headers_it_travels_in(refusal: Refusal) -> None:
    # gRPC clients refuse more than 8 KiB; the message is sent beside the details as well.
    told = status(refusal)
    text, details_in_base64 = quote(told.message), told.ByteSize() * 4 / 3
    assert len(text) + details_in_base64 < 8_000


def test_what_is_left_out_of_a_long_list_is_counted() -> None:
    many = tuple(Resource("agent", f"agt_{number}", "w") for number in range(40))
    assert Ambiguous("alfa", many).message.endswith(", agt_14 (w), and 25 more")
    assert Ambiguous("alfa", many[:15]).message.endswith(", agt_14 (w)")
    assert Invalid(*[Violation("a", "b")] * 17).message.endswith("a: b; and 2 more")


def test_a_refusal_passes_through_untouched() -> None:
    refusal = Expired()
    assert refusal_of(refusal) is refusal


@pytest.mark.parametrize(
    "error", [ValueError("secret path"), KeyError("secret path"), BaseException("secret path")]
)
def test_any_other_error_is_told_by_an_id_alone(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        refusal = refusal_of(error)
    assert (refusal.code, refusal.reason) == (Code.INTERNAL, "INTERNAL")
    assert "secret" not in status(refusal).SerializeToString().decode(errors="replace")
    number = refusal.message.rpartition(" ")[2]
    (record,) = caplog.records
    assert number in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[1] is error
    assert refusal_of(error).message != refusal.message


def test_the_codes_are_grpcs() -> None:
    from google.rpc import code_pb2

    assert {code.name: code.value for code in Code} == {
        code.name: code_pb2.Code.Value(code.name) for code in Code
    }
    assert "UNKNOWN" not in Code.__members__
