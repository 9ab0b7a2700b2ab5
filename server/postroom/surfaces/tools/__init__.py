"""Every method of a door as an MCP tool. Importing this does not load the MCP library."""

from postroom.surfaces.tools.endpoint import Endpoint

__all__ = ["Endpoint"]
