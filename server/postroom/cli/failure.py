"""What ends a command badly, and the exit status that tells a script which way."""

CODES = (
    "ok",
    "cancelled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal",
    "unavailable",
    "data_loss",
    "unauthenticated",
)
"""The gRPC status codes; the place of each is its number."""

OTHER, USAGE = 1, 2
# sysexits.h: nothing came, so try again later. 128 + SIGINT: what shells say of Ctrl-C.
NOTHING_CAME, INTERRUPTED = 75, 130
_FIRST_STATUS = 10


def exit_status(code: str) -> int:
    """The exit status that stands for a code."""
    return _FIRST_STATUS + CODES.index(code)


class Failure(Exception):
    """A call that did not succeed: a code and a message for the person."""

    def __init__(
        self, code: str, message: str, status: int | None = None, reason: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.status = exit_status(code) if status is None else status
