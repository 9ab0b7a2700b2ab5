"""A session's questions about messages, files and the outbox, through the port."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from postroom.agent import Agent
from postroom.attachment import MEDIA_TYPE, Attachment, Mode, StoredFile
from postroom.errors import Code
from postroom.mail import MailDirection
from postroom.message import Message, Part, Participant
from postroom.message_ports import Inbox, OutboxEntry
from postroom.ports import Session, WriteNeeded
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from postroom.words import terms
from tests.conformance.world import NEVER, RECEIVED, SENT, add_agents, deliver, piece
from tests.doubles import START

EVERYTHING: dict[str, Any] = {"before": None, "limit": 99}


@pytest.fixture
def trio(store: Store) -> list[Agent]:
    """Three agents of one workflow."""
    return add_agents(store, "alfa", "bravo", "carol")


def add(store: Store, id: str, sender: Agent, to: Agent, **fields: Any) -> Message:
    """Store a message with one copy, and return it as it is stored."""
    part, expires_at = fields.pop("part", Part.TO), fields.pop("expires_at", NEVER)
    mail = replace(piece(id, sender, to), expires_at=expires_at)

    def work(session: Session) -> None:
        session.lock(sender, to)
        number = session.deliver(mail, id.encode(), counted=True)
        copy = replace(participant(to, part), mail_id=mail.id, received_number=number)
        people = (participant(sender, Part.SENDER), copy)
        session.add_message(message(id, participants=people, workflow=sender.workflow, **fields))

    store.write(work)
    found = store.read(lambda session: session.message(id))
    assert found is not None
    return found


def participant(agent: Agent, part: Part) -> Participant:
    """Somebody who takes part in a message."""
    return Participant(agent=agent.number, agent_id=agent.id, name=agent.name, part=part)


def message(id: str, **fields: Any) -> Message:
    """A message of a thread, without a topic."""
    given: dict[str, Any] = {
        "id": id,
        "project_key": "main",
        "thread_id": "x",
        "reply_to": None,
        "subject": "s",
        "body_md": "b",
        "importance": "normal",
        "ack_required": True,
        "topic": "",
        "created_at": START,
    }
    return Message(**given | fields)


def test_a_message_comes_back_as_it_was_stored(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    image = Attachment(
        name="a",
        mode=Mode.INLINE,
        media_type=MEDIA_TYPE,
        path="p",
        sha256="0" * 64,
        bytes=9,
        width=1,
        height=2,
        reason="",
    )
    text = {"subject": "ß \N{GRINNING FACE}", "body_md": "a\r\nb\x01", "reply_to": "other"}
    found = add(store, "one", alfa, bravo, attachments=(image,), topic="t", **text)
    assert (found.subject, found.body_md, found.reply_to) == tuple(text.values())
    assert (found.attachments, found.topic, found.ack_required) == ((image,), "t", True)
    assert [(one.name, one.part) for one in found.participants] == [
        ("alfa", Part.SENDER),
        ("bravo", Part.TO),
    ]
    assert store.read(lambda session: session.message("unseen")) is None


@pytest.mark.parametrize("column", ["subject", "body_md"])
def test_a_message_that_was_changed_on_disk_is_never_shown(
    store: Store, trio: list[Agent], column: str
) -> None:
    alfa, bravo, _ = trio
    add(store, "one", alfa, bravo)
    store.write(lambda s: _connection(s).run(f"UPDATE message SET {column} = 'changed'"))
    assert bravo.workflow is not None
    within = bravo.workflow
    looks: list[Callable[[Session], Any]] = [
        lambda s: s.message("one"),
        lambda s: s.inbox(bravo.number, Inbox(), now=START, **EVERYTHING),
        lambda s: s.thread(None, within, "x", **EVERYTHING),
        lambda s: s.found(bravo.number, within, terms("s"), **EVERYTHING),
    ]
    for look in looks:
        with pytest.raises(StoreFailure) as caught:
            store.read(look)
        assert caught.value.code is Code.DATA_LOSS


def _connection(session: Session) -> Any:
    session.writing()  # type: ignore[attr-defined]
    return session.connection  # type: ignore[attr-defined]


WRITES: dict[str, Callable[[Session, Agent, Message], Any]] = {
    "add_message": lambda s, _, message: s.add_message(message),
    "claim_copy": lambda s, agent, message: s.claim_copy(agent, message, START),
    "acknowledge": lambda s, agent, message: s.acknowledge(agent.number, message, START),
    "put_out": lambda s, *_: s.put_out("wfl", "msg", START),
    "taken": lambda s, *_: s.taken([1]),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_writes_asks_for_a_write(store: Store, trio: list[Agent], name: str) -> None:
    message = add(store, "one", *trio[:2])
    with pytest.raises(WriteNeeded):
        store.read(lambda session: WRITES[name](session, trio[1], message))


def test_a_mark_of_a_copy_stays_when_it_is_swept(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    message = add(store, "one", alfa, bravo, expires_at=START + 10)

    def claim(session: Session) -> int:
        (agent,) = session.lock(bravo)
        found = session.message("one")
        assert found is not None
        return session.claim_copy(agent, found, START + 5)

    assert store.write(claim) == store.write(claim) == START + 5
    assert store.sweep(expired_before=START + 11, answered_before=0) == 1
    found = store.read(lambda session: session.message(message.id))
    assert found is not None
    assert found.recipients[0].read_at == START + 5
    assert store.write(claim) == START + 5


def test_a_long_sweep_keeps_every_mark(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio

    def fill(session: Session) -> None:
        for number in range(600):
            deliver(session, f"fill-{number}", alfa, carol)

    store.write(fill)
    add(store, "one", alfa, bravo)
    store.write(lambda s: _connection(s).run("UPDATE mail SET claimed_at = ?", (START + 3,)))
    while store.sweep(expired_before=NEVER + 1, answered_before=0):
        pass
    assert store.connection.one("SELECT COUNT(*) FROM mail") == (0,)
    found = store.read(lambda session: session.message("one"))
    assert found is not None
    assert found.recipients[0].read_at == START + 3


def test_a_file_is_stored_once_in_each_project(store: Store, trio: list[Agent]) -> None:
    file = StoredFile(sha256="0" * 64, media_type=MEDIA_TYPE, width=1, height=2, data=b"\0\xff")
    for within in (1, 1, 2):
        store.write(lambda s, w=within: s.keep_file(w, file, START))  # type: ignore[misc]
    assert store.connection.one("SELECT COUNT(*) FROM file") == (2,)
    assert store.read(lambda s: s.file(1, file.sha256)) == file
    assert store.read(lambda s: s.file(3, file.sha256)) is None
    assert store.read(lambda s: s.may_see_file(trio[0].number, 1, file.sha256)) is False
    assert store.read(lambda s: s.may_see_file(trio[0].number, 1, "")) is False
    assert store.read(lambda s: s.file_sender(1, file.sha256)) is None


def test_the_bytes_of_a_day_are_those_after_an_instant(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    for number, at in enumerate((START, START + 5, START + 9)):
        size = 2 * 10**number
        store.write(lambda s, n=size, t=at: s.count_upload(alfa.number, n, t))  # type: ignore[misc]
    for since, expected in ((START - 1, 222), (START, 220), (START + 5, 200), (START + 9, 0)):
        sent = store.read(lambda s, at=since: s.sent_bytes(alfa.number, at))  # type: ignore[misc]
        assert sent == expected
    assert store.read(lambda s: s.sent_bytes(bravo.number, 0)) == 0


def test_the_outbox_is_taken_in_the_order_of_its_numbers(store: Store) -> None:
    for id in ("a", "b", "c"):
        store.write(lambda s, i=id: s.put_out("wfl_1", i, START))  # type: ignore[misc]
    entries = store.read(lambda s: s.outbox(after=0, limit=2))
    assert [(entry.project_id, entry.id) for entry in entries] == [("wfl_1", "a"), ("wfl_1", "b")]
    store.write(lambda s: s.taken([entries[0].number]))
    store.write(lambda s: s.taken([]))
    (last,) = store.read(lambda s: s.outbox(after=entries[1].number, limit=9))
    assert last == OutboxEntry(number=last.number, project_id="wfl_1", id="c")
    assert [e.id for e in store.read(lambda s: s.outbox(after=0, limit=9))] == ["b", "c"]


def found(session: Session, agent: Agent, within: int, before: int | None) -> Sequence[Message]:
    """A page of what holds a word."""
    return session.found(agent.number, within, terms("need*"), before=before, limit=4)


def test_the_words_of_very_many_messages_are_found_page_by_page(
    store: Store, trio: list[Agent]
) -> None:
    alfa, bravo, carol = trio
    for number in range(12):
        add(store, f"m{number:02d}", alfa, (bravo, carol)[number % 2], body_md="needle")
    assert bravo.workflow is not None
    within, before = bravo.workflow, None
    shown: list[str] = []
    while True:
        page = store.read(partial(found, agent=bravo, within=within, before=before))
        shown += [message.id for message in page]
        if len(page) < 4:
            break
        before = page[-1].number
    assert shown == [f"m{number:02d}" for number in range(10, -1, -2)]
    elsewhere = store.read(lambda s: s.found(bravo.number, 99, terms("needle"), **EVERYTHING))
    assert list(elsewhere) == []


@pytest.mark.parametrize("direction", [RECEIVED, SENT])
def test_others_see_no_copy_of_a_hidden_recipient(
    store: Store, trio: list[Agent], direction: MailDirection
) -> None:
    alfa, bravo, carol = trio
    parts = (Part.TO, Part.BCC, Part.CC, Part.BCC)
    for number, part in enumerate(parts):
        add(store, f"m{number}", alfa, bravo, part=part)
    store.write(lambda session: deliver(session, "plain", alfa, bravo))
    owner = bravo if direction is RECEIVED else alfa

    def wires(before: int | None, limit: int) -> list[bytes]:
        asked: dict[str, Any] = {"before": before, "limit": limit, "now": START}
        look = store.read(lambda s: s.mail_for_others(owner.number, direction, **asked))
        return [bytes(wire) for _, wire, _, _ in look]

    assert wires(None, 9) == [b"plain", b"m2", b"m0"]
    assert wires(None, 2) == [b"plain", b"m2"]
    assert wires(3, 2) == [b"m0"]
    asked: dict[str, Any] = {"limit": 9, "now": START}
    came = store.read(lambda s: s.arrivals_for_others(bravo.number, after=1, **asked))
    assert [bytes(wire) for _, wire, _, _ in came] == [b"m2", b"plain"]
    assert not store.read(lambda s: s.arrivals_for_others(carol.number, after=0, **asked))
