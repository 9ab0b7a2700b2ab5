"""Random calls against a model of who may write to whom, made from the contract alone."""

import itertools
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from agent.v1.mail_pb2 import MAIL_KIND_EXCHANGE_CAPPED, MAIL_KIND_PLAIN
from postroom.instant import SECOND
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.properties.conftest import LIMITS, TTL
from tests.room import Room, refused

# a and b have no parent; c, d and e are children of a, and f is of c.
NAMES = "abcdef"
PARENTS = {"c": "a", "d": "a", "e": "a", "f": "c"}
POLICIES = ("open", "open", "auto", "contacts_only", "block_all")
DAY = 24 * 3600 * SECOND
PENDING, REFUSAL = 7 * DAY, 7 * DAY
_examples = itertools.count()

WHO = st.sampled_from(NAMES)
SOME = st.lists(st.sampled_from([*NAMES, *NAMES, "z"]), max_size=3)
FLAGS = st.tuples(st.sampled_from((False, False, True)), st.booleans())
SENDS = st.tuples(st.just("send"), WHO, st.tuples(SOME, SOME, SOME), FLAGS)
POLICY = st.tuples(st.just("policy"), WHO, st.sampled_from(POLICIES))
ASKS = st.tuples(st.just("ask"), WHO, WHO)
RESPONDS = st.tuples(st.just("respond"), WHO, WHO, st.sampled_from((None, 0, 2)))
READS = st.tuples(st.just("read"), WHO)
ENDS = st.tuples(st.just("end"), WHO)
MOVES = st.tuples(st.just("move"), st.sampled_from((0.5, 3.0, 8.0)))
STEPS = st.lists(
    st.one_of(SENDS, SENDS, SENDS, SENDS, POLICY, ASKS, RESPONDS, READS, MOVES, ENDS), max_size=30
)


@dataclass
class Model:
    """What the contract says of the agents at this instant."""

    now: int
    policies: dict[str, str]
    ended: set[str] = field(default_factory=set)
    # By requester and target: status, and until when.
    contacts: dict[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)
    written: set[tuple[str, str]] = field(default_factory=set)
    exchanged: dict[frozenset[str], int] = field(default_factory=dict)
    # By agent: when each unread copy expires.
    waiting: dict[str, list[int]] = field(default_factory=dict)

    def is_family(self, sender: str, to: str) -> bool:
        parent = PARENTS.get(sender)
        return parent is None or to == parent or PARENTS.get(to) == parent

    def is_approved(self, one: str, other: str) -> bool:
        for pair in ((one, other), (other, one)):
            status, until = self.contacts.get(pair, ("", None))
            if status == "approved" and (until is None or until > self.now):
                return True
        return False

    def contact(self, sender: str, to: str) -> str:
        """Why a policy does not let a sender through, '' when it does."""
        policy = self.policies[to]
        if policy == "block_all":
            return "block_all"
        is_known = policy == "auto" and (to, sender) in self.written
        is_let = policy == "open" or is_known or self.is_approved(sender, to)
        return "" if is_let else "contact_required"

    def limit(self, sender: str, to: str) -> str:
        if self.exchanged.get(frozenset((sender, to)), 0) >= LIMITS.exchange:
            return "exchange_capped"
        unread = [until for until in self.waiting.get(to, []) if until > self.now]
        return "mailbox_full" if len(unread) >= LIMITS.mailbox else ""

    def request(self, sender: str, to: str) -> str:
        """Leave a request unless an answer stands; returns the status."""
        status, until = self.contacts.get((sender, to), ("", None))
        stands = until is None or until > self.now
        if status in ("approved", "refused") and stands:
            return status
        self.contacts[sender, to] = ("pending", self.now + PENDING)
        return "pending"


Parts = dict[str, list[str]]


@dataclass
class Expected:
    """What becomes of a message: a reason, or who gets it and who is passed over."""

    reason: str = ""
    parts: Parts = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


def expect(
    model: Model, sender: str, lists: tuple[list[str], ...], *, broadcast: bool, asks: bool
) -> Expected:
    """What the contract says, check by check."""
    parts: dict[str, str] = {}
    for part, names in zip(("to", "cc", "bcc"), lists, strict=True):
        for name in names:
            parts.setdefault(name, part)
    if (broadcast and "to" in parts.values()) or not (broadcast or parts):
        return Expected("INVALID_FIELD")
    if sender in model.ended:
        return Expected("AGENT_NOT_FOUND")
    for reason, is_so in (
        ("SELF_SEND", sender in parts),
        ("AGENT_NOT_FOUND", "z" in parts),
        ("RECIPIENT_ARCHIVED", any(name in model.ended for name in parts)),
        ("CHILD_SCOPE", not all(model.is_family(sender, name) for name in parts)),
    ):
        if is_so:
            return Expected(reason)
    skipped = _expand(model, sender, parts) if broadcast else {}
    named = [name for name in parts if name not in skipped and name in {*itertools.chain(*lists)}]
    return _admit(model, sender, parts, skipped, named, asks=asks)


def _expand(model: Model, sender: str, parts: dict[str, str]) -> dict[str, str]:
    """Who a broadcast passes over before limits are looked at; the rest go into parts."""
    skipped = {}
    for name in NAMES:
        if name == sender or name in parts:
            continue
        if name in model.ended:
            skipped[name] = "retired"
        elif not model.is_family(sender, name):
            skipped[name] = "outside_family"
        elif why := model.contact(sender, name):
            skipped[name] = why
        else:
            parts[name] = "to"
    return skipped


def _admit(
    model: Model,
    sender: str,
    parts: dict[str, str],
    skipped: dict[str, str],
    named: list[str],
    *,
    asks: bool,
) -> Expected:
    whys = {name: model.contact(sender, name) for name in named}
    if "block_all" in whys.values():
        return Expected("POLICY_FORBIDS")
    if required := [name for name, why in whys.items() if why]:
        pending = [name for name in required if asks and model.request(sender, name) == "pending"]
        return Expected("CONTACT_REQUIRED", asked=pending)
    if not parts:
        return Expected("NO_RECIPIENTS", skipped=skipped)
    limits = {name: why for name in parts if (why := model.limit(sender, name))}
    if refused := [limits[name] for name in named if name in limits]:
        return Expected(refused[0].upper())
    left = {name: part for name, part in parts.items() if name not in limits}
    skipped |= limits
    if not left:
        return Expected("NO_RECIPIENTS", skipped=skipped)
    lists: Parts = {"to": [], "cc": [], "bcc": []}
    for name, part in left.items():
        lists[part].append(name)
    return Expected(parts=lists, skipped=skipped)


@settings(
    derandomize=True,
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(STEPS)
def test_messages_reach_whom_the_model_says(small_room: Room, steps: list[tuple[Any, ...]]) -> None:
    clock = small_room.office.clock
    assert isinstance(clock, ManualClock)
    project = Project(small_room, f"/project/{next(_examples)}")
    run = Run(project, clock, Model(clock.now(), dict.fromkeys(NAMES, "open")))
    run.populate()
    for step, *arguments in steps:
        getattr(run, step)(*arguments)
    run.check()


@dataclass
class Run:
    """One example: each step is done in the post room and in the model."""

    project: Project
    clock: ManualClock
    model: Model
    ids: dict[str, str] = field(default_factory=dict)
    got: dict[str, list[str]] = field(default_factory=dict)

    def populate(self) -> None:
        for name in NAMES:
            parent = self.ids.get(PARENTS.get(name, ""), "")
            made = self.project.room.agent(name, self.project.key, parent_id=parent)
            self.ids[name] = made.id
            self.policy(name, "open")

    def send(self, sender: str, lists: tuple[list[str], ...], flags: tuple[bool, bool]) -> None:
        broadcast, asks = flags
        given = lists if not broadcast else ([], *lists[1:])
        expected = expect(self.model, sender, given, broadcast=broadcast, asks=asks)
        event(expected.reason or "delivered")
        fields: dict[str, Any] = dict(zip(("cc", "bcc"), given[1:], strict=True))
        fields |= {"broadcast": broadcast, "auto_contact_if_blocked": asks}
        send = partial(self.project.send, sender, *given[0], **fields)
        if expected.reason:
            refusal = refused(send)
            assert refusal.reason == expected.reason
            if expected.reason == "NO_RECIPIENTS":
                assert refusal.metadata == expected.skipped
            if expected.reason == "CONTACT_REQUIRED":
                assert refusal.metadata["auto_contact_requested"] == ", ".join(expected.asked)
            return
        answer = send()
        payload = answer.deliveries[0].payload
        assert {part: list(getattr(payload, part)) for part in expected.parts} == expected.parts
        skips = [(skip.agent, skip.reason) for skip in answer.broadcast_skipped]
        assert skips == sorted(expected.skipped.items())
        self._deliver(sender, expected.parts, payload.id)

    def _deliver(self, sender: str, parts: Parts, id: str) -> None:
        for name in itertools.chain(*parts.values()):
            pair = frozenset((sender, name))
            self.model.exchanged[pair] = self.model.exchanged.get(pair, 0) + 1
            self.model.written.add((sender, name))
            self.model.waiting.setdefault(name, []).append(self.model.now + TTL * SECOND)
            self.got.setdefault(name, []).append(id)

    def policy(self, name: str, policy: str) -> None:
        if name not in self.model.ended:
            self.project.call("SetContactPolicy", agent_name=name, policy=policy)
            self.model.policies[name] = policy

    def ask(self, requester: str, target: str) -> None:
        if requester == target or {requester, target} & self.model.ended:
            return
        if self.model.policies[target] == "block_all" or not self.model.is_family(
            requester, target
        ):
            return
        status = self.model.request(requester, target)
        assert self.project.ask(requester, target).status == status

    def respond(self, target: str, requester: str, days: int | None) -> None:
        if requester == target or {requester, target} & self.model.ended:
            return
        status, until = self.model.contacts.get((requester, target), ("", None))
        is_over = until is not None and until <= self.model.now and status != "refused"
        seconds = (days or 0) * 86_400
        respond = partial(
            self.project.respond, target, requester, accept=days is not None, ttl_seconds=seconds
        )
        if is_over or not status:
            assert refused(respond).reason == "CONTACT_NOT_FOUND"
            return
        answer = respond()
        assert answer.status == ("refused" if days is None else "approved")
        until = self.model.now + (REFUSAL if days is None else days * DAY)
        self.model.contacts[requester, target] = (answer.status, None if days == 0 else until)

    def read(self, name: str) -> None:
        if name not in self.model.ended:
            self.project.room.call("ReadMail", self.ids[name])
            self.model.waiting[name] = []

    def end(self, name: str) -> None:
        if name != "a":
            self.project.room.call("ArchiveAgent", id=self.ids[name])
            self.model.ended.add(name)

    def move(self, days: float) -> None:
        self.clock.advance(days=days)
        self.model.now = self.clock.now()

    def check(self) -> None:
        spent = [pair for pair, mails in self.model.exchanged.items() if mails == LIMITS.exchange]
        for name in set(NAMES) - self.model.ended:
            found = self.project.found(name, "plan")
            mail = self.project.room.received(self.ids[name])
            copies = [each.message_id for each in mail if each.kind == MAIL_KIND_PLAIN]
            assert copies == self.project.ids(name)
            assert set(copies) <= set(self.got.get(name, []))
            assert set(self.got.get(name, [])) <= set(found)
            notices = [each for each in mail if each.kind == MAIL_KIND_EXCHANGE_CAPPED]
            assert len(notices) <= sum(name in pair for pair in spent)
