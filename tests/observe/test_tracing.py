"""Calls as spans, with the names that OpenTelemetry has for them."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from postroom.assemble import assemble
from postroom.errors import Archived, Refusal
from postroom.observe.tracing import CallTracer
from postroom.rpc.door import Incoming
from postroom.settings import BadSetting, Settings
from tests.observe.scripted import Observed

TRACE_ID, PARENT_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE_ID}-{PARENT_ID}-01"


async def answers() -> str:
    return "answer"


async def refuses() -> None:
    raise Archived("agt_1", "is archived")


async def breaks() -> None:
    raise ValueError("a body")


def traced(script: Any, *metadata: tuple[str, str]) -> tuple[ReadableSpan, dict[str, object]]:
    """The one span of a call, and the facts of its line."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observed = Observed(script, tracer=CallTracer(provider.get_tracer("test")))
    try:
        asyncio.run(observed.call("SendMail", Incoming(metadata, surface="json"), body="a body"))
    except Refusal:
        assert script is not answers
    (span,) = exporter.get_finished_spans()
    return span, {**observed.kept.facts[0]}


def test_an_answered_call_is_a_span_of_its_method() -> None:
    span, facts = traced(answers)
    assert (span.name, span.kind) == ("agent.v1.AgentService/SendMail", SpanKind.SERVER)
    assert dict(span.attributes or {}) == {
        "rpc.system": "grpc",
        "rpc.service": "agent.v1.AgentService",
        "rpc.method": "SendMail",
        "rpc.grpc.status_code": 0,
        "postroom.surface": "json",
    }
    assert span.parent is None
    assert facts["trace"] == f"{span.get_span_context().trace_id:032x}"  # type: ignore[union-attr]


def test_a_trace_that_the_caller_began_goes_on() -> None:
    span, facts = traced(answers, ("traceparent", TRACEPARENT), ("tracestate", "a=1"))
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == PARENT_ID
    assert facts["trace"] == TRACE_ID
    assert span.get_span_context().trace_state.get("a") == "1"  # type: ignore[union-attr]


def test_a_traceparent_that_is_none_begins_a_trace() -> None:
    span, _ = traced(answers, ("traceparent", "00-nonsense\n-01"))
    assert span.parent is None


@pytest.mark.parametrize(
    ("script", "number", "status", "reason"),
    [
        (refuses, 9, StatusCode.UNSET, "AGENT_ARCHIVED"),
        (breaks, 13, StatusCode.ERROR, "INTERNAL"),
    ],
)
def test_only_the_servers_own_faults_are_errors(
    script: Any, number: int, status: StatusCode, reason: str
) -> None:
    span, _ = traced(script)
    attributes = dict(span.attributes or {})
    assert attributes["rpc.grpc.status_code"] == number
    assert attributes["postroom.reason"] == reason
    assert span.status.status_code is status
    assert "body" not in span.to_json()


def test_traces_without_the_extra_are_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(BadSetting, match=r"postroom\[otel\]"):
        assemble(Settings(traces=True, data_dir=str(tmp_path)))
    assert not list(tmp_path.iterdir())
