"""Calls as spans of OpenTelemetry, which is an extra of the package."""

import threading
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, StatusCode

from postroom.errors import Code
from postroom.observe.ended import OK, Ended
from postroom.rpc.contract import Spec
from postroom.rpc.door import TRACE, Incoming

_CLOSE_SECONDS = 2.0
# OpenTelemetry's conventions: only these codes are the server's own fault.
_FAULTS = {
    each.name
    for each in (
        Code.DEADLINE_EXCEEDED,
        Code.UNIMPLEMENTED,
        Code.INTERNAL,
        Code.UNAVAILABLE,
        Code.DATA_LOSS,
    )
}


class CallSpan:
    """Fulfils observe.door.Span."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self.trace_id = trace.format_trace_id(span.get_span_context().trace_id)

    def end(self, ended: Ended) -> None:
        """See observe.door.Span."""
        number = 0 if ended.code == OK else int(Code[ended.code])
        self._span.set_attribute("rpc.grpc.status_code", number)
        if ended.reason:
            self._span.set_attribute("postroom.reason", ended.reason)
        if ended.code in _FAULTS:
            self._span.set_status(StatusCode.ERROR)
        self._span.end()


class CallTracer:
    """Fulfils observe.door.Tracer."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    def begin(self, spec: Spec, incoming: Incoming) -> CallSpan:
        """See observe.door.Tracer."""
        carrier = {name: value for name, value in incoming.metadata if name in TRACE}
        span = self._tracer.start_span(
            spec.full_name,
            context=propagate.extract(carrier) if carrier else None,
            kind=SpanKind.SERVER,
            attributes={
                "rpc.system": "grpc",
                "rpc.service": spec.service,
                "rpc.method": spec.name,
                "postroom.surface": incoming.surface,
            },
        )
        return CallSpan(span)


class Tracing:
    """Sends spans where the OTEL_ variables say."""

    def __init__(self) -> None:
        """Raises ImportError where the extra is not installed."""
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        self._provider: Any = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer = CallTracer(self._provider.get_tracer("postroom"))

    def close(self) -> None:
        """Send what waits, if somebody takes it soon: a stop must not wait for a collector."""
        sending = threading.Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(_CLOSE_SECONDS)


def _resource() -> Any:
    """What the variables say, and the name of the service where they do not."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    found = Resource.create()
    if str(found.attributes.get(SERVICE_NAME, "unknown_service")).startswith("unknown_service"):
        found = found.merge(Resource({SERVICE_NAME: "postroom"}))
    return found
