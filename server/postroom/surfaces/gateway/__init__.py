"""JSON over HTTP, as grpc-gateway serves it, for any door."""

from postroom.surfaces.gateway.app import FORWARDED, Gateway
from postroom.surfaces.gateway.guard import Guard, Rules

__all__ = ["FORWARDED", "Gateway", "Guard", "Rules"]
