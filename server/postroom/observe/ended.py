"""A call that has ended, as far as it may be told: never what was written or shown."""

from typing import NamedTuple

from postroom.errors import Code
from postroom.rpc.contract import Spec

OK = "OK"
# The caller went away by itself: nothing was refused.
LEFT = Code.CANCELLED.name


class Ended(NamedTuple):
    """One call. Texts are '' where there is nothing to tell.

    `caller_id` is the agent that was proven, `key_id` names the token that was shown,
    `event` is the id under which the log has an internal error, `trace` the id of the
    trace that the call belongs to.
    """

    spec: Spec
    surface: str
    code: str
    reason: str
    seconds: float
    caller_id: str
    key_id: str
    peer: str
    request_id: str
    event: str = ""
    trace: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the caller was told no."""
        return self.code not in (OK, LEFT)
