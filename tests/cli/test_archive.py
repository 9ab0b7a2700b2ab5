"""`postroom archive` and `postroom recover`, with no server about."""

import json
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.storage import open_store
from tests.archive.kept import Archive
from tests.archive.pictures import enclose, webp
from tests.operations.messages.world import KEY, Project
from tests.room import Room

from .conftest import Postroom


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with a database and the archive of one project."""
    folder = tmp_path / "data"
    monkeypatch.setenv("POSTROOM_DATA_DIR", str(folder))
    store = open_store(f"sqlite:///{folder / 'mail.db'}", SystemClock())
    project = Project(Room(store, SystemClock()))
    project.agents("Alfa", "Bravo", "Hidden")
    sent = project.message("Alfa", "Bravo", bcc=["Hidden"])
    project.reply("Bravo", sent.id)
    enclose(store, sent.id, "msg_9", webp())
    Archive(store, folder / "archive").take()
    project.message("Alfa", "Bravo")
    project.room.close()
    store.close()
    return folder


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """The commands set it for their process."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_status_tells_what_waits(postroom: Postroom, data: Path) -> None:
    shown = json.loads(postroom("archive", "status", "--json").out)
    (row,) = shown
    assert (row["key"], row["waiting"], row["packs"]) == (KEY, 1, 1)
    assert (data / "archive" / row["project_id"]).is_dir()
    assert f"{KEY}: ".encode() in postroom("archive", "status").out


def test_verify_ends_with_0_when_all_is_well_and_with_1_when_not(
    postroom: Postroom, data: Path
) -> None:
    ended = postroom("archive", "verify")
    assert (ended.status, ended.out) == (0, b"")
    (head,) = data.glob("archive/*/head")
    head.write_text("0" * 40)
    ended = postroom("archive", "verify", "--project", KEY)
    assert ended.status == 1
    assert ended.out.startswith(f"{KEY}: history-cut: ".encode())
    found = json.loads(postroom("archive", "verify", "--json").out)
    assert [row["fault"] for row in found] == ["history-cut"]


def test_verify_of_an_unknown_project_is_not_found(postroom: Postroom, data: Path) -> None:
    assert data.exists()
    assert postroom("archive", "verify", "--project", "nobody").status == 15


def test_checkout_writes_the_files_and_brings_an_earlier_one_up_to_date(
    postroom: Postroom, data: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    for _ in range(2):
        assert postroom("archive", "checkout", "--project", KEY, str(target)).status == 0
        changed = next(target.glob("messages/*/*/*.md"))
        assert changed.read_bytes().startswith(b"---\n")
        changed.write_text("changed")
    assert len(list(target.rglob("*.md"))) == 14
    assert len(list(target.glob("attachments/*.webp"))) == 1
    assert all(path.stat().st_mode & 0o077 == 0 for path in target.rglob("*"))
    for path in data.glob("mail.db*"):
        path.unlink()
    # Reading needs no database.
    assert postroom("archive", "checkout", "--project", KEY, str(target)).status == 0


def test_checkout_leaves_other_people_s_files_alone(
    postroom: Postroom, data: Path, tmp_path: Path
) -> None:
    full, link = tmp_path / "full", tmp_path / "link"
    full.mkdir()
    (full / "mine").write_text("x")
    link.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    for target in (full, full / "mine", link):
        ended = postroom("archive", "checkout", "--project", KEY, str(target))
        assert ended.status == 19, ended.err
    assert [path.name for path in full.iterdir()] == ["mine"]
    assert not (tmp_path / "elsewhere").exists()
    assert data.exists()


def test_checkout_follows_no_link(postroom: Postroom, data: Path, tmp_path: Path) -> None:
    target, outside = tmp_path / "out", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.md").write_text("kept")
    assert postroom("archive", "checkout", "--project", KEY, str(target)).status == 0
    canonical = next(target.glob("messages/*/*/*.md"))
    canonical.unlink()
    canonical.symlink_to(outside / "kept.md")
    assert postroom("archive", "checkout", "--project", KEY, str(target)).status == 0
    assert not canonical.is_symlink()
    assert (outside / "kept.md").read_text() == "kept"
    (target / "agents").rename(tmp_path / "moved")
    (target / "agents").symlink_to(outside, target_is_directory=True)
    assert postroom("archive", "checkout", "--project", KEY, str(target)).status == 19
    assert [path.name for path in outside.iterdir()] == ["kept.md"]
    assert data.exists()


def test_export_writes_one_new_file(postroom: Postroom, data: Path, tmp_path: Path) -> None:
    names: list[set[str]] = []
    for suffix in (".tar", ".tar.gz", ".zip"):
        target = tmp_path / f"out{suffix}"
        assert postroom("archive", "export", "--project", KEY, str(target)).status == 0
        if suffix == ".zip":
            names.append(set(zipfile.ZipFile(target).namelist()))
        else:
            with tarfile.open(target) as archive:
                names.append(set(archive.getnames()))
        assert postroom("archive", "export", "--project", KEY, str(target)).status == 19
    assert names[0] == names[1] == names[2]
    assert len(names[0]) == 15
    assert postroom("archive", "export", "--project", KEY, str(tmp_path / "out.rar")).status == 13
    assert data.exists()


def test_m34_recover_brings_back_a_database_that_the_archive_agrees_with(
    postroom: Postroom, data: Path
) -> None:
    damaged = (data / "mail.db").read_bytes()[:5_000] + b"x" * 5_000
    (data / "mail.db").write_bytes(damaged)
    # However it is damaged, there is one way back, and it begins with a file of one's own.
    ended = postroom("recover")
    assert (ended.status, "move it away" in ended.err) == (19, True)
    assert (data / "mail.db").read_bytes() == damaged
    for path in data.glob("mail.db*"):
        path.rename(path.with_name(f"old-{path.name}"))
    assert postroom("archive", "verify").status == 19
    ended = postroom("recover")
    assert ended.status == 0
    assert b"brought back 1 projects, 3 agents, 3 messages, 0 other mails" in ended.out
    assert postroom("archive", "verify").status == 0
    assert postroom("recover").status == 19
    assert (data / "mail.db").stat().st_mode & 0o077 == 0
    assert [path.name for path in data.glob("*recovering*")] == []


def test_recover_without_an_archive_is_not_found(
    postroom: Postroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_DATA_DIR", str(tmp_path))
    assert postroom("recover").status == 15
    assert list(tmp_path.iterdir()) == []
