"""Which files a message makes, and who is named in which."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.archive import letter
from postroom.archive.filed_mail import FiledMail
from postroom.archive.filed_mail import read as read_mail
from postroom.archive.frontmatter import Unreadable
from postroom.archive.layout import attached, files_of_mail, files_of_message
from postroom.archive.letter import Copy, Letter
from postroom.archive.paths import NoPath
from postroom.attachment import Attachment, Mode
from postroom.instant import DAY, SECOND
from postroom.message import Message, Part, Participant
from tests.doubles import START

SHA = "ab" * 32
ID = "msg_1"


def participant(number: int, name: str, part: Part) -> Participant:
    mail_id = None if part is Part.SENDER else f"mail_{number}"
    return Participant(
        agent=number, agent_id=f"agt_{number}", name=name, part=part, mail_id=mail_id
    )


MESSAGE = Message(
    id=ID,
    workflow=1,
    project_key="/abs/backend",
    thread_id="br-abc.1",
    reply_to=None,
    subject="Plan",
    body_md="See below.",
    importance="normal",
    ack_required=True,
    topic="",
    created_at=START,
    participants=(
        participant(1, "Sender", Part.SENDER),
        participant(2, "Open", Part.TO),
        participant(3, "Copied", Part.CC),
        participant(4, "Hidden", Part.BCC),
        participant(5, "Veiled", Part.BCC),
    ),
    attachments=(
        Attachment(name="a", mode=Mode.FILE, media_type="image/webp", sha256=SHA, bytes=3),
        Attachment(name="b", mode=Mode.FAILED, reason="NO_IMAGE"),
    ),
)


def files(message: Message = MESSAGE) -> dict[str, bytes]:
    return dict(files_of_message(message, "wfl_1"))


def test_a_message_makes_a_canonical_file_and_a_copy_for_everybody() -> None:
    assert list(files()) == [
        "messages/2026/12/msg_1.md",
        "agents/Sender/outbox/2026/12/msg_1.md",
        "agents/Open/inbox/2026/12/msg_1.md",
        "agents/Copied/inbox/2026/12/msg_1.md",
        "agents/Hidden/inbox/2026/12/msg_1.md",
        "agents/Veiled/inbox/2026/12/msg_1.md",
    ]
    assert [path for path, _ in attached(MESSAGE)] == [f"attachments/{SHA}.webp"]


def test_hidden_recipients_are_named_to_the_sender_and_each_to_itself_alone() -> None:
    naming = {
        name: {path.split("/")[1] for path, content in files().items() if name.encode() in content}
        for name in ("Hidden", "Veiled")
    }
    assert naming == {"Hidden": {"Sender", "Hidden"}, "Veiled": {"Sender", "Veiled"}}
    without = [content for content in files().values() if b"Hidden" not in content]
    assert not any(b"agt_4" in content or b"mail_4" in content for content in without)
    assert b"bcc" not in files()["messages/2026/12/msg_1.md"]
    assert b"bcc" not in files()["agents/Open/inbox/2026/12/msg_1.md"]


def test_the_month_is_that_of_utc() -> None:
    # 23:59:59.999999 on 30 November, and the next microsecond.
    midnight = START - 9 * 3600 * SECOND - 1800 * SECOND
    assert midnight % DAY == 0
    for instant, month in ((midnight - 1, "2026/11"), (midnight, "2026/12")):
        assert f"messages/{month}/msg_1.md" in files(replace(MESSAGE, created_at=instant))


@pytest.mark.parametrize("name", ["..", "a/b", ".git", "", "a\n", "é", "-a", "a" * 65])
def test_what_is_no_name_never_becomes_a_path(name: str) -> None:
    people = (participant(1, name, Part.SENDER), participant(2, "Open", Part.TO))
    with pytest.raises(NoPath):
        files(replace(MESSAGE, participants=people))


@pytest.mark.parametrize("id", ["..", "msg_../x", "msg_A", "MSG_1", "msg_", "msg_1\n"])
def test_what_is_no_id_never_becomes_a_path(id: str) -> None:
    with pytest.raises(NoPath):
        files(replace(MESSAGE, id=id))


def test_the_body_ends_the_file_byte_for_byte() -> None:
    for body in ("", "---\n", "a\r\nb", "\n\n", "---\nid: 1\n---\n"):
        for content in files(replace(MESSAGE, body_md=body)).values():
            assert content.endswith(b"\n---\n" + body.encode())
            assert letter.read(content).body_md == body


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
letters = st.builds(
    Letter,
    id=texts,
    project_key=texts,
    project_id=texts,
    thread_id=texts,
    reply_to=st.none() | texts,
    sender=names,
    to=st.lists(names, max_size=3).map(tuple),
    cc=st.lists(names, max_size=3).map(tuple),
    bcc=st.lists(names, max_size=3).map(tuple),
    subject=texts,
    importance=texts,
    ack_required=st.booleans(),
    topic=texts,
    created_at=st.integers(0, 4_000_000_000 * SECOND),
    attachments=st.lists(
        st.builds(Attachment, name=texts, mode=st.sampled_from(Mode), bytes=st.integers(0, 9)),
        max_size=2,
    ).map(tuple),
    agent_ids=st.dictionaries(names, texts, min_size=1, max_size=3),
    copy=st.none() | st.builds(Copy, mailbox=names, kind=texts, mail_id=texts),
    body_md=texts,
)


@given(letters)
def test_a_letter_is_read_back_as_it_was_written(one: Letter) -> None:
    assert letter.read(one.written()) == one


@given(letters, st.integers(0), st.integers(1, 255))
def test_a_changed_byte_is_refused_or_read_as_another_letter(
    one: Letter, at: int, change: int
) -> None:
    content = bytearray(one.written())
    content[at % len(content)] ^= change
    try:
        found = letter.read(bytes(content))
    except Unreadable:
        return
    assert found != one
    assert found.written() == bytes(content)


def test_plain_mail_has_a_file_and_copies_for_the_members_of_the_project() -> None:
    mail = FiledMail(
        id="mail_1",
        project_key="main",
        project_id="wfl_1",
        sender="Alfa",
        sender_id="agt_1",
        recipient="Bravo",
        recipient_id="agt_2",
        reply_to=None,
        kind="plain",
        created_at=START,
        expires_at=START + DAY,
        body="hello\n",
    )
    assert read_mail(mail.written()) == mail
    both = dict(files_of_mail(mail, frozenset({"agt_1", "agt_2"})))
    assert list(both) == [
        "mail/2026/12/mail_1.md",
        "agents/Alfa/outbox/2026/12/mail_1.md",
        "agents/Bravo/inbox/2026/12/mail_1.md",
    ]
    assert len(dict(files_of_mail(mail, frozenset({"agt_1"})))) == 2
