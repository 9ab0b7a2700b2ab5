"""JSON over HTTP, as grpc-gateway serves it, for any door."""

from postroom.surfaces.gateway.app import Gateway
from postroom.surfaces.gateway.guard import Guard, Rules

__all__ = ["Gateway", "Guard", "Rules"]
