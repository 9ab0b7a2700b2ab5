"""Clients and tools that others wrote, against a real server."""
