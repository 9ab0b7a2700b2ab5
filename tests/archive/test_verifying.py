"""Each kind of fault, planted in an archive or a database that was in order, has its name."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from postroom.archive.commit import Note
from postroom.archive.findings import Fault
from postroom.archive.pack import BLOB, Pack
from postroom.archive.repository import Repository
from postroom.archive.verifying import Needs, verify
from postroom.attachment import path_of
from postroom.instant import DAY
from postroom.ports import Session
from postroom.rpc.messages import mail_of
from tests.archive.kept import AUTHOR, Archive, git
from tests.archive.pictures import enclose, shows, stored, webp
from tests.doubles import START
from tests.operations.messages.world import Project


@dataclass
class Planted:
    """An archive in order, with ids to do harm to."""

    archive: Archive
    project: Project
    first: str
    second: str
    image: str

    @property
    def canonical(self) -> str:
        return f"messages/2026/12/{self.first}.md"

    def inbox(self, name: str) -> str:
        return f"agents/{name}/inbox/2026/12/{self.first}.md"

    def put(self, path: str, content: bytes) -> None:
        """Commit a file as it should not be."""
        with Repository(self.archive.folder, AUTHOR).writing() as writing:
            writing.add(path, content)
            writing.commit(Note(messages=0, last=9, newest=START))

    def change(self, path: str, old: bytes, new: bytes) -> None:
        """Commit a file with some bytes changed."""
        content = self.archive.files()[path]
        assert old in content
        self.put(path, content.replace(old, new, 1))

    def remove(self, *paths: str) -> None:
        """Commit without some files, as a person with Git would."""
        bare = self.archive.folder / "repo.git"
        kept = [
            line
            for line in git(bare, "ls-tree", "-r", "main").splitlines()
            if line.partition("\t")[2] not in paths
        ]
        self._commit_tree(bare, kept)

    def link(self, path: str) -> None:
        """Commit a symbolic link."""
        bare = self.archive.folder / "repo.git"
        id = git(bare, "hash-object", "-w", "--stdin", data=b"/etc/passwd").strip()
        kept = git(bare, "ls-tree", "-r", "main").splitlines()
        self._commit_tree(bare, [*kept, f"120000 blob {id}\t{path}"])

    def sql(self, text: str) -> None:
        """Change the database behind everybody's back."""

        def run(session: Session) -> None:
            session.connection.run(text)  # type: ignore[attr-defined]

        self.archive.store.write(run)

    def _commit_tree(self, bare: Path, rows: list[str]) -> None:
        index = {"data": "".join(f"{row}\n" for row in rows).encode()}
        (bare / "index").unlink(missing_ok=True)
        git(bare, "update-index", "--add", "--index-info", **index)
        tree = git(bare, "write-tree").strip()
        author = ("-c", "user.name=a", "-c", "user.email=a")
        made = git(bare, *author, "commit-tree", tree, "-p", "main", "-m", "x").strip()
        git(bare, "update-ref", "refs/heads/main", made)
        (bare / "index").unlink()

    def faults(self) -> set[Fault]:
        """The kinds that a look finds."""
        workflow = self.archive.store.read(lambda session: session.workflow(self.project.key))
        assert workflow is not None
        folder = self.archive.root / workflow.id
        needs = Needs(unwire=mail_of, is_image=shows, now=START)
        found = verify(self.archive.store, folder, workflow, needs).findings
        assert all(finding.about for finding in found)
        return {finding.fault for finding in found}


@pytest.fixture
def planted(project: Project, archive: Archive) -> Planted:
    project.agents("Alfa", "Bravo", "Carol", "Hidden")
    sent = project.message("Alfa", "Bravo", cc=["Carol"], bcc=["Hidden"])
    answer = project.reply("Bravo", sent.id)
    image = enclose(archive.store, sent.id, "msg_9", webp())
    archive.take()
    return Planted(archive, project, sent.id, answer.id, image)


def wrong_image(planted: Planted) -> None:
    planted.put(planted.image, webp(9))


def broken_image(planted: Planted) -> None:
    cut = webp()[:-9]
    digest = sha256(cut).hexdigest()
    file = stored(cut)
    planted.archive.store.write(lambda session: session.keep_file(1, file, START))
    planted.sql(f"UPDATE attachment SET sha256 = '{digest}', path = '{path_of(digest)}'")
    planted.remove(planted.image)
    planted.put(path_of(digest), cut)
    for path, content in planted.archive.files().items():
        if b"msg_9" in content and planted.image.encode() in content:
            old = planted.image.removeprefix("attachments/").removesuffix(".webp").encode()
            planted.put(path, content.replace(old, digest.encode()))


def damaged_object(planted: Planted) -> None:
    """A pack whose bytes were changed on disk, with all that depends on them."""
    content = planted.archive.files()[planted.canonical]
    pack = Pack()
    id = pack.add(BLOB, content).hex()
    packs = planted.archive.folder / "repo.git/objects/pack"
    for index in packs.glob("*.idx"):
        listed = git(packs.parent.parent, "verify-pack", "-v", str(index))
        row = next((line.split() for line in listed.splitlines() if line.startswith(id)), None)
        if row:
            data = bytearray(index.with_suffix(".pack").read_bytes())
            data[int(row[4]) + 12] ^= 0xFF
            index.with_suffix(".pack").write_bytes(data)


def cut_history(planted: Planted) -> None:
    head = git(planted.archive.folder / "repo.git", "rev-parse", "main").strip()
    planted.project.message("Alfa", "Bravo")
    planted.archive.take()
    git(planted.archive.folder / "repo.git", "update-ref", "refs/heads/main", head)


def lost_archive(planted: Planted) -> None:
    import shutil

    shutil.rmtree(planted.archive.folder / "repo.git")


FAULTS: dict[Fault, Callable[[Planted], None]] = {
    Fault.MISSING_ARCHIVE: lost_archive,
    Fault.MISSING_CANONICAL: lambda p: p.remove(p.canonical),
    Fault.MISSING_COPY: lambda p: p.remove(p.inbox("Bravo")),
    Fault.EXTRA_FILE: lambda p: p.put("agents/Eve/inbox/2026/12/notes.md", b"hello"),
    Fault.CHANGED_BODY: lambda p: p.change(p.canonical, b"see below", b"see above"),
    Fault.CHANGED_FRONT_MATTER: lambda p: p.change(p.inbox("Bravo"), b"normal", b"urgent"),
    Fault.BCC_LEAKED: lambda p: p.change(p.canonical, b'"Carol"\n', b'"Carol"\n  - "Hidden"\n'),
    Fault.ATTACHMENT_MISSING: lambda p: p.remove(p.image),
    Fault.ATTACHMENT_CHANGED: wrong_image,
    Fault.ATTACHMENT_BROKEN: broken_image,
    Fault.ATTACHMENT_NOT_STORED: lambda p: p.sql("DELETE FROM file"),
    Fault.DANGLING_REPLY: lambda p: p.sql(
        f"UPDATE message SET reply_to = 'msg_0' WHERE id = '{p.second}'"
    ),
    Fault.DANGLING_THREAD: lambda p: p.sql(
        f"UPDATE message SET thread_id = 'other' WHERE id = '{p.second}'"
    ),
    Fault.MISSING_ROW: lambda p: p.sql(f"DELETE FROM message WHERE id = '{p.second}'"),
    Fault.HISTORY_CUT: cut_history,
    Fault.DAMAGED_OBJECT: damaged_object,
}


def test_every_kind_of_fault_is_planted() -> None:
    assert set(FAULTS) == set(Fault)


def test_an_archive_in_order_has_no_fault(planted: Planted) -> None:
    assert planted.faults() == set()
    planted.project.message("Alfa", "Bravo")
    assert planted.faults() == set(), "what waits in the outbox is not missing"


@pytest.mark.parametrize("fault", FAULTS)
def test_p09_each_planted_fault_is_named(planted: Planted, fault: Fault) -> None:
    FAULTS[fault](planted)
    assert fault in planted.faults()


@pytest.mark.parametrize(
    "harm",
    [
        lambda p: p.link("agents/Bravo/inbox/2026/12/link.md"),
        lambda p: p.put("agents/Eve/inbox/2026/12/msg_9.md", p.archive.files()[p.canonical]),
        lambda p: p.put(path_of("ab" * 32), webp()),
        lambda p: p.put(".gitattributes", b"* text=auto\n"),
    ],
)
def test_files_that_nothing_accounts_for_are_extra(
    planted: Planted, harm: Callable[[Planted], None]
) -> None:
    harm(planted)
    assert planted.faults() == {Fault.EXTRA_FILE}


def test_expired_mail_may_be_gone_from_the_database(planted: Planted) -> None:
    alfa, bravo = planted.project.room.call("ListAgents").agents[:2]
    mail = planted.project.room.send(alfa.id, bravo.id)
    workflow = planted.archive.store.read(lambda session: session.workflow(planted.project.key))
    assert workflow is not None
    id = workflow.id
    planted.archive.store.write(lambda session: session.put_out(id, mail.id, 1))
    planted.archive.take()
    assert planted.faults() == set()
    planted.sql(f"DELETE FROM mail WHERE id = '{mail.id}'")
    assert planted.faults() == {Fault.MISSING_ROW}
    needs = Needs(unwire=mail_of, is_image=shows, now=START + 8 * DAY)
    folder = planted.archive.folder
    assert verify(planted.archive.store, folder, workflow, needs).findings == []
