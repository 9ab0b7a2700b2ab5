"""The clients of the Model Context Protocol's own makers, against a real server."""
