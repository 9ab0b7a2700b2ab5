"""Sessions of callers: which agents have proven themselves within the same one.

A session is one process of `postroom mcp`, or what one MCP client opened over HTTP; it
outlives its calls, and more than one agent may call in it. What is known of a session is
kept in memory, by one server, for a while.
"""

import base64
import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from postroom.instant import SECOND
from postroom.ports import Clock
from postroom.records import Proof
from postroom.token import RandomBytes

MOST_SESSIONS: Final = 10_000
MOST_AGENTS: Final = 1_000
IDLE_SECONDS: Final = 12 * 3600
_RANDOM_BYTES: Final = 24
_MAC_BYTES: Final = 24
_PERSON: Final = b"session"
# Long enough that nobody guesses one; callers choose their own (see `of`).
_ID: Final = re.compile(r"[A-Za-z0-9_-]{32,128}", re.ASCII)


class Entry(NamedTuple):
    """How an agent came into a session: by a proof of its own, or None where it was admitted.

    `key_id` names the token that it showed, or that was made for it there; '' without one.
    """

    proof: Proof | None
    key_id: str = ""


@dataclass(slots=True, eq=False)
class CallerSession:
    """What one call knows of the session that it is made in.

    Outside any session nobody is ever in it and nobody can be admitted.
    """

    _known: dict[str, Entry] | None = None
    _admitted: dict[str, Entry] = field(default_factory=dict)

    def entry(self, agent_id: str) -> Entry | None:
        """How the agent came in; None when it is not in this session.

        Whether that still counts, only the database can tell (messaging/presence.py).
        """
        known = self._known or {}
        return self._admitted.get(agent_id) or known.get(agent_id)

    def admit(self, agent_id: str, key_id: str = "") -> None:
        """Take an agent in; it counts for later calls once this one has succeeded.

        One that is in already stays as it came in, unless a token was made for it now.
        """
        if self._has_room(agent_id) and (key_id or self.entry(agent_id) is None):
            self._admitted[agent_id] = Entry(None, key_id)

    def enter(self, agent_id: str, proof: Proof, key_id: str = "") -> None:
        """The agent that calls is proven; nothing else of the call has happened yet."""
        self._admitted.clear()
        if self._known is not None and self._has_room(agent_id):
            self._known[agent_id] = Entry(proof, key_id)

    def keep(self) -> None:
        """The call has succeeded: whoever was admitted stays."""
        if self._known is not None:
            self._known.update(self._admitted)

    def _has_room(self, agent_id: str) -> bool:
        known = self._known
        return known is not None and (agent_id in known or len(known) < MOST_AGENTS)


OUTSIDE: Final = CallerSession()


class CallerSessions:
    """The sessions of one server. Safe to use from several threads.

    Those that nobody has called in for 12 hours are forgotten, and so are those idle
    longest when there are 10,000. Ids that were issued here are signed: every server of
    the same database knows them for its own, after a restart too, when nobody is in them.
    """

    def __init__(
        self, clock: Clock, key: bytes, random_bytes: RandomBytes = secrets.token_bytes
    ) -> None:
        self._clock = clock
        self._key = key
        self._random_bytes = random_bytes
        self._known_in: OrderedDict[str, tuple[int, dict[str, Entry]]] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def issue(self) -> str:
        """A new id, which nobody can guess."""
        random = self._random_bytes(_RANDOM_BYTES)
        return base64.urlsafe_b64encode(random + self._mac(random)).decode()

    def is_issued(self, id: str) -> bool:
        """Whether `issue` made this id, here or at another server, and nobody has ended it."""
        if not _ID.fullmatch(id) or id in self._ended:
            return False
        try:
            packed = base64.b64decode(id.encode(), b"-_", validate=True)
        except ValueError:
            return False
        random, mac = packed[:_RANDOM_BYTES], packed[_RANDOM_BYTES:]
        return secrets.compare_digest(mac, self._mac(random))

    def end(self, id: str) -> None:
        """Forget a session for good, as far as this server goes."""
        with self._lock:
            self._known_in.pop(id, None)
            self._ended[id] = None
            while len(self._ended) > MOST_SESSIONS:
                self._ended.popitem(last=False)

    def of(self, id: str) -> CallerSession:
        """The session with this id, new when it is unknown; none for '' and for a short id."""
        if not _ID.fullmatch(id):
            return OUTSIDE
        now = self._clock.now()
        with self._lock:
            _, known = self._known_in.pop(id, (0, {}))
            self._known_in[id] = (now, known)
            self._forget(now)
        return CallerSession(known)

    def _forget(self, now: int) -> None:
        while self._known_in:
            id, (used_at, _) = next(iter(self._known_in.items()))
            if len(self._known_in) <= MOST_SESSIONS and now - used_at <= IDLE_SECONDS * SECOND:
                return
            del self._known_in[id]

    def _mac(self, random: bytes) -> bytes:
        made = hashlib.blake2b(random, key=self._key, digest_size=_MAC_BYTES, person=_PERSON)
        return made.digest()
