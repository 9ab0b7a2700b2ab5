"""The oracle: the real grpc-gateway beside the JSON surface, request by request."""
