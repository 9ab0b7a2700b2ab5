"""From a send to the files: each message once, whole, and nothing told to the wrong reader."""

import os
from pathlib import Path

import pytest

from agent.v1.mail_pb2 import Mail
from postroom.archive import letter, profile, taking
from postroom.archive.filed_mail import read as read_mail
from postroom.archive.lock import alone
from postroom.archive.repository import LOCK_FILE
from postroom.ports import Session
from tests.archive.kept import Archive
from tests.archive.pictures import enclose, webp
from tests.operations.messages.world import Project


def test_a_sent_message_becomes_its_files(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo", "Carol")
    sent = project.message(
        "Alfa", "Bravo", cc=["Carol"], subject='a: "b"', topic="br-abc.1", ack_required=True
    )
    assert archive.take().taken == 1
    assert archive.waiting == 0
    canonical = letter.read(archive.files()[f"messages/2026/12/{sent.id}.md"])
    told = (canonical.sender, canonical.to, canonical.cc, canonical.bcc)
    assert told == ("Alfa", ("Bravo",), ("Carol",), ())
    assert (canonical.project_key, canonical.subject) == (project.key, 'a: "b"')
    assert (canonical.topic, canonical.ack_required) == ("br-abc.1", True)
    own = letter.read(archive.files()[f"agents/Carol/inbox/2026/12/{sent.id}.md"]).copy
    assert own == letter.Copy(mailbox="Carol", kind="cc", mail_id=project.inbox("Carol")[0].mail_id)
    assert f"agents/Alfa/outbox/2026/12/{sent.id}.md" in archive.paths()
    archive.must_be_sound()


def test_m23_bcc_is_in_no_object_but_the_permitted_ones(project: Project, archive: Archive) -> None:
    agents = project.agents("Alfa", "Bravo", "Carol", "Zhidden", "Zveiled")
    sent = project.message("Alfa", "Bravo", cc=["Carol"], bcc=["Zhidden", "Zveiled"])
    archive.take()
    project.reply("Bravo", sent.id)
    archive.take()
    mails = [project.inbox(name)[0].mail_id for name in ("Zhidden", "Zveiled")]
    for agent, mail_id in zip(agents[3:], mails, strict=True):
        permitted = {
            f"agents/Alfa/outbox/2026/12/{sent.id}.md",
            f"agents/{agent.name}/inbox/2026/12/{sent.id}.md",
        }
        for secret in (agent.name, agent.id, mail_id):
            naming = _naming(archive, secret)
            assert naming <= permitted, secret
            assert naming
    assert "Z" not in archive.git("log", "--format=%B")


def _naming(archive: Archive, text: str) -> set[str]:
    """The paths of the blobs that hold a text; any other blob that does fails the test."""
    blobs = {}
    for line in archive.git("rev-list", "--objects", "--all").splitlines():
        id, _, path = line.partition(" ")
        blobs[id] = path
    found = set()
    for line in archive.git("cat-file", "--batch-all-objects", "--batch-check").splitlines():
        id, kind, _ = line.split()
        if kind == "blob" and text in archive.git("cat-file", "blob", id):
            found.add(blobs[id])
    return found


def test_m26_while_the_archive_cannot_be_written_nothing_is_lost_and_sends_go_on(
    project: Project, archive: Archive
) -> None:
    project.agents("Alfa", "Bravo")
    archive.root.parent.mkdir(exist_ok=True)
    archive.root.write_text("no folder")
    sent = [project.message("Alfa", "Bravo").id for _ in range(3)]
    done = archive.taker.take_all()
    assert (done.taken, done.left) == (0, 3)
    assert set(done.troubles.values()) <= {"Not a directory", "File exists"}
    archive.root.unlink()
    assert archive.take().taken == 3
    assert {f"messages/2026/12/{id}.md" for id in sent} <= archive.paths()


def test_one_project_in_trouble_holds_up_no_other(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo")
    other = Project(project.room, "/abs/other")
    other.agents("Alfa", "Bravo")
    project.message("Alfa", "Bravo")
    blocked = archive.root / project.room.call("ListWorkflows").workflows[0].id
    blocked.parent.mkdir(parents=True)
    blocked.write_text("no folder")
    other.message("Alfa", "Bravo")
    done = archive.taker.take_all()
    assert (done.taken, done.left) == (1, 1)
    assert list(done.troubles) == [blocked.name]


def test_what_another_server_is_taking_is_left_to_it(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo")
    project.message("Alfa", "Bravo")
    archive.take()
    project.message("Alfa", "Bravo")
    with alone(archive.folder / LOCK_FILE):
        done = archive.taker.take_all()
    assert (done.taken, done.left, done.troubles) == (0, 1, {})
    assert archive.take().taken == 1


def test_a_crash_between_the_commit_and_the_database_takes_nothing_twice(
    project: Project, archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.agents("Alfa", "Bravo")
    for _ in range(3):
        project.message("Alfa", "Bravo")

    class Died(Exception):
        pass

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(type(archive.store), "write", die)
        with pytest.raises(Died):
            archive.taker.take_all()
    head, files = archive.git("rev-parse", "main"), archive.files()
    assert archive.waiting == 3
    # Another process, which remembers nothing.
    again = Archive(archive.store, tmp_path / "archive")
    assert again.take().taken == 3
    assert again.git("rev-parse", "main") == head
    project.message("Alfa", "Bravo")
    again.take()
    assert files.items() <= again.files().items()
    assert again.commits() == 2
    again.must_be_sound()


def test_many_messages_make_few_commits_and_all_are_there(
    project: Project, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "_BATCH", 7)
    monkeypatch.setattr(taking, "_READ_TOGETHER", 3)
    project.agents("Alfa", "Bravo")
    sent = [project.message("Alfa", "Bravo").id for _ in range(20)]
    assert archive.take().taken == 20
    assert archive.commits() == 3
    assert {f"messages/2026/12/{id}.md" for id in sent} <= archive.paths()
    notes = archive.git("log", "--format=%(trailers:key=Postroom-Outbox,valueonly)").split()
    assert notes == sorted(notes, key=int, reverse=True)


def test_very_large_messages_are_committed_a_few_at_a_time(
    project: Project, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "_MOST_BYTES", 100_000)
    project.agents("Alfa", "Bravo")
    for _ in range(4):
        project.message("Alfa", "Bravo", body_md=os.urandom(50_000).hex())
    assert archive.take().taken == 4
    assert archive.commits() == 4


def test_attachments_are_stored_once_under_their_hash(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo")
    sent = project.message("Alfa", "Bravo")
    path = enclose(archive.store, sent.id, "msg_9", webp())
    assert enclose(archive.store, sent.id, "msg_8", webp()) == path
    archive.take()
    assert archive.files("attachments") == {path: webp()}
    found = letter.read(archive.files()["messages/2026/12/msg_9.md"]).attachments[0]
    assert found.path == path


def test_profiles_hold_who_somebody_is_and_no_secret(project: Project, archive: Archive) -> None:
    agents = project.agents("Alfa", "Bravo")
    token = project.room.call("CreateToken", agent_id=agents[0].id).token
    project.send("Alfa", "Bravo", as_=token)
    archive.take()
    found = profile.read_agent(archive.files()[f"profiles/{agents[0].id}.md"])
    assert (found.name, found.contact_policy, found.proves) == ("Alfa", "open", True)
    project.room.call("SetAgentState", agents[1].id, id=agents[1].id, state="AGENT_STATE_DORMANT")
    project.send("Alfa", "Bravo", as_=token)
    archive.take()
    found = profile.read_agent(archive.files()[f"profiles/{agents[1].id}.md"])
    assert found.state == "dormant"
    secret = token.rpartition("_")[2]
    assert not any(secret.encode() in content for content in archive.files().values())


def test_names_that_differ_in_case_follow_each_other(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo")
    first = project.message("Alfa", "Bravo")
    agents = project.room.call("ListAgents").agents
    bravo = next(agent for agent in agents if agent.name == "Bravo")
    project.room.call("ArchiveAgent", id=bravo.id)
    project.agents("bravo")
    second = project.message("Alfa", "bravo")
    archive.take()
    boxes = {path for path in archive.paths() if path.lower().startswith("agents/bravo/")}
    assert boxes == {
        f"agents/Bravo/inbox/2026/12/{first.id}.md",
        f"agents/bravo/inbox/2026/12/{second.id}.md",
    }


def test_entries_for_what_is_not_there_are_dropped(project: Project, archive: Archive) -> None:
    project.agents("Alfa", "Bravo")

    def leave(session: Session) -> None:
        for id in ("msg_gone", "mail_gone"):
            session.put_out(_project_id(session, project), id, 1)
        session.put_out("wfl_gone", "msg_1", 1)

    archive.store.write(leave)
    assert archive.take().taken == 3
    assert archive.waiting == 0


def _project_id(session: Session, project: Project) -> str:
    workflow = session.workflow(project.key)
    assert workflow is not None
    return workflow.id


def test_plain_mail_is_filed_where_all_mail_is_archived(project: Project, archive: Archive) -> None:
    alfa, bravo = project.agents("Alfa", "Bravo")
    mail: Mail = project.room.send(alfa.id, bravo.id, "hello\n")

    def leave(session: Session) -> None:
        session.put_out(_project_id(session, project), mail.id, 1)

    archive.store.write(leave)
    archive.take()
    found = read_mail(archive.files()[f"mail/2026/12/{mail.id}.md"])
    assert (found.sender, found.recipient, found.body) == ("Alfa", "Bravo", "hello\n")
    assert f"agents/Bravo/inbox/2026/12/{mail.id}.md" in archive.paths()
    assert "Archive 1 mail\n" in archive.git("log", "--format=%B")
