"""From the proto to plain values, and from a request to its operation."""
