"""What only the operator may do."""

from postroom.errors import Forbidden
from postroom.office import Call


def operator_only(call: Call, what: str) -> None:
    """Raise Forbidden (OPERATOR_ONLY) for everybody else."""
    if not call.caller.is_operator:
        raise Forbidden(
            f"only the operator may {what}; ask the person who runs the server", "OPERATOR_ONLY"
        )
