"""Random sequences of calls against a model of mailboxes that counts every piece."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.v1.mail_pb2 import MAIL_KIND_PLAIN, Mail
from postroom.errors import Refusal
from postroom.instant import SECOND
from tests.doubles import ManualClock
from tests.properties.conftest import LIMITS, TTL
from tests.room import Room

AGENTS = 3
SIDES = ("MAIL_DIRECTION_RECEIVED", "MAIL_DIRECTION_SENT")
_examples = itertools.count()

WHO = st.integers(0, AGENTS - 1)
SENDS = st.tuples(st.just("send"), WHO, WHO, st.sampled_from(("", "", "k", "l")))
READS = st.tuples(st.just("read"), WHO, st.integers(1, 3), st.sampled_from(("", "", "k")))
LISTS = st.tuples(st.just("list"), WHO, st.sampled_from(SIDES), st.integers(1, 3))
MOVES = st.tuples(st.just("move"), st.sampled_from((-1.0, -0.25, 0.25, 1.0, 3.0, 8.0)))
STEPS = st.lists(st.one_of(SENDS, SENDS, READS, LISTS, MOVES), max_size=40)


@dataclass
class Piece:
    """A piece as the model knows it."""

    mail: Mail
    expires: int
    claimed: bool = False


@dataclass
class Model:
    """Every piece ever stored, in order, and every answer under a key."""

    pieces: list[Piece] = field(default_factory=list)
    answers: dict[tuple[str, str, str], tuple[object, bytes]] = field(default_factory=dict)

    def offered(self, now: int) -> list[Piece]:
        return [piece for piece in self.pieces if piece.expires > now]

    def waiting(self, agent: str, now: int) -> list[Piece]:
        own = [piece for piece in self.offered(now) if piece.mail.to_agent_id == agent]
        return [piece for piece in own if not piece.claimed]

    def refusal(self, sender: str, to: str, now: int) -> str:
        plain = [p.mail for p in self.pieces if p.mail.kind == MAIL_KIND_PLAIN]
        pair = [mail for mail in plain if {mail.from_agent_id, mail.to_agent_id} == {sender, to}]
        waiting = [p for p in self.waiting(to, now) if p.mail.kind == MAIL_KIND_PLAIN]
        if sender == to:
            return "SELF_SEND"
        if len(pair) >= LIMITS.exchange:
            return "EXCHANGE_CAPPED"
        return "MAILBOX_FULL" if len(waiting) >= LIMITS.mailbox else ""


@settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(STEPS)
def test_mailboxes_are_what_the_model_says(small_room: Room, steps: list[tuple[Any, ...]]) -> None:
    mark = next(_examples)
    agents = [small_room.agent(f"agent-{mark}-{n}").id for n in range(AGENTS)]
    run = Run(small_room, agents, Model())
    for step, *arguments in steps:
        getattr(run, step)(*arguments)
    for who in range(AGENTS):
        for side in SIDES:
            run.list(who, side, 2)
        run.read(who, 200, "")


@dataclass
class Run:
    """One example: each step is done in the post room and in the model."""

    room: Room
    agents: list[str]
    model: Model

    @property
    def now(self) -> int:
        return self.room.office.clock.now()

    def send(self, who: int, whom: int, key: str) -> None:
        sender, to = self.agents[who], self.agents[whom]
        kept = self.model.answers.get((sender, "send", key)) if key else None
        answer = self._call("SendMail", sender, to=to, body="x", request_id=key)
        if kept is not None:
            expected = kept[1] if kept[0] == to else "REQUEST_ID_REUSED"
            assert _wire(answer) == expected
            return
        refusal = self.model.refusal(sender, to, self.now)
        if refusal:
            assert answer == refusal
            return
        self.model.pieces.append(Piece(answer.mail, self.now + TTL * SECOND))
        self._keep(sender, "send", key, to, answer)
        self._expect_notices(sender, to)

    def _expect_notices(self, *pair: str) -> None:
        counted = [
            p for p in self.model.pieces if {p.mail.from_agent_id, p.mail.to_agent_id} == {*pair}
        ]
        if len(counted) < LIMITS.exchange:
            return
        for agent in pair:
            (notice, *_) = self.room.received(agent)
            assert notice.from_name == "postroom"
            self.model.pieces.append(Piece(notice, self.now + TTL * SECOND))

    def read(self, who: int, limit: int, key: str) -> None:
        agent = self.agents[who]
        kept = self.model.answers.get((agent, "read", key)) if key else None
        answer = self._call("ReadMail", agent, limit=limit, request_id=key)
        if kept is not None:
            assert _wire(answer) == (kept[1] if kept[0] == limit else "REQUEST_ID_REUSED")
            return
        waiting = self.model.waiting(agent, self.now)
        assert [mail.id for mail in answer.mail] == [p.mail.id for p in waiting[:limit]]
        assert answer.remaining == len(waiting[limit:])
        for piece, mail in zip(waiting, answer.mail, strict=False):
            piece.claimed, piece.mail = True, mail
        self._keep(agent, "read", key, limit, answer)
        left = self.room.call("GetAgent", id=agent).agent.waiting
        assert left == len(self.model.waiting(agent, self.now))

    def list(self, who: int, side: str, limit: int) -> None:
        agent = self.agents[who]
        expected = [
            p.mail
            for p in reversed(self.model.offered(self.now))
            if agent == (p.mail.to_agent_id if side == SIDES[0] else p.mail.from_agent_id)
        ]
        listed, cursor = [], ""
        while True:
            pagination = {"limit": limit, "cursor": cursor}
            page = self.room.call("ListMail", agent, direction=side, pagination=pagination)
            listed += page.mail
            cursor = page.next_page_token
            if not cursor:
                break
            assert len(page.mail) == limit
        assert listed == expected

    def move(self, days: float) -> None:
        clock = self.room.office.clock
        assert isinstance(clock, ManualClock)
        before = self.now + round(min(days, 0) * 86_400) * SECOND
        # A clock that goes back before an expiry is not judged here.
        if not any(before < piece.expires <= self.now for piece in self.model.pieces):
            clock.advance(days=days)

    def _call(self, method: str, as_: str, **fields: Any) -> Any:
        try:
            return self.room.call(method, as_, **fields)
        except Refusal as refusal:
            return refusal.reason

    def _keep(self, agent: str, method: str, key: str, request: object, answer: Any) -> None:
        if key:
            self.model.answers[agent, method, key] = (request, _wire(answer))


def _wire(answer: Any) -> Any:
    return answer if isinstance(answer, str) else answer.SerializeToString(deterministic=True)
