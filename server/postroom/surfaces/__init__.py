"""The ways in: gRPC, JSON over HTTP, the command line."""
