"""The role of a caller, which the server knows and a request does not say."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.rpc.identity import identify
from postroom.rpc.status import refusal_of

SECONDS: Final = 60.0
_MOST: Final = 1_000


class Roles:
    """Asks the door who a caller is, and believes the answer for a minute."""

    def __init__(self, door: Door, clock: Callable[[], float] = time.monotonic) -> None:
        self._door = door
        self._spec = next((spec for spec in door.specs if spec.tells_caller), None)
        self._clock = clock
        self._known: OrderedDict[bytes, tuple[float, str]] = OrderedDict()

    async def of(self, caller: Incoming) -> str:
        """The caller's role, '' where it has none. Raises Refusal for who is not known, too."""
        key = _key(caller)
        asked_at, role = self._known.get(key, (None, ""))
        now = self._clock()
        if asked_at is not None and now - asked_at < SECONDS:
            return role
        found = await self._ask(caller)
        self._known.pop(key, None)
        self._known[key] = (now, found)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return found

    async def _ask(self, caller: Incoming) -> str:
        if self._spec is None:
            return ""
        try:
            answer: Any = await self._door.call(
                self._spec, self._spec.request_class(), caller, Outgoing()
            )
        except Exception as error:
            raise refusal_of(error) from None
        agent = getattr(answer, self._spec.output.fields[0].name)
        return str(agent.role)


def _key(caller: Incoming) -> bytes:
    """Stands for an identity without keeping its token."""
    who = identify(caller.metadata, trusted=True, peer_uris=caller.peer_uris)
    parts = f"{who.agent_id}\n{who.certified_id}\n{who.token}"
    return hashlib.sha256(parts.encode()).digest()
