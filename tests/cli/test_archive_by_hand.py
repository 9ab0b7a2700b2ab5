"""Archives into which somebody has put objects by hand, which Git itself would not write."""

from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ObjectType

from postroom.archive.shelf import projects
from tests.operations.messages.world import KEY

from .conftest import Postroom
from .test_archive import data, umask

__all__ = ["data", "umask"]

Row = tuple[bytes, bytes, pygit2.Oid]
FOLDER, FILE = b"40000", b"100644"
NOTE = b'---\ntype: "project"\nid: "x"\nkey: %s\n---\n'


def _tree(repository: pygit2.Repository, rows: list[Row]) -> pygit2.Oid:
    content = b"".join(b"%s %s\0%s" % (mode, name, id.raw) for mode, name, id in rows)
    return repository.write(ObjectType.TREE, content)


def _put(data: Path, change: Callable[[pygit2.Repository, list[Row]], list[Row]]) -> None:
    """Let the branch point to a commit with another root."""
    (id,) = projects(data / "archive")
    repository = pygit2.Repository(str(data / "archive" / id / "repo.git"))
    head = repository.references["refs/heads/main"].target
    base = repository[head].peel(pygit2.Tree)
    rows = [
        (FOLDER if each.type_str == "tree" else FILE, str(each.name).encode(), each.id)
        for each in base
    ]
    me = pygit2.Signature("x", "x@example")
    root = _tree(repository, change(repository, rows))
    repository.create_commit("refs/heads/main", me, me, "by hand", root, [head])


def _beneath(folder: bytes, name: bytes) -> Callable[[pygit2.Repository, list[Row]], list[Row]]:
    """A file that nobody wrote, in a folder that may be there already."""

    def change(repository: pygit2.Repository, rows: list[Row]) -> list[Row]:
        made = _tree(repository, [(FILE, name, repository.create_blob(b"x"))])
        return [(FOLDER, folder, made), *(row for row in rows if row[1] != folder)]

    return change


@pytest.mark.parametrize("folder", [b"..", b".", b".git", b".GIT"])
def test_a_name_that_leads_elsewhere_is_not_written_out(
    postroom: Postroom, data: Path, tmp_path: Path, folder: bytes
) -> None:
    _put(data, _beneath(folder, b"config"))
    before = {*tmp_path.iterdir()}
    for command, target in (("checkout", "out"), ("export", "out.tar")):
        ended = postroom("archive", command, "--project", KEY, str(tmp_path / target))
        assert (ended.status, "lead elsewhere" in ended.err) == (24, True)
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize("key", [b'"\\U00110000"', b'"\\Uffffffff"', b"9" * 5000])
def test_a_fact_that_stands_for_nothing_is_passed_over(
    postroom: Postroom, data: Path, key: bytes
) -> None:
    def change(repository: pygit2.Repository, rows: list[Row]) -> list[Row]:
        note = repository.create_blob(NOTE % key)
        return [(mode, name, note if name == b"project.md" else id) for mode, name, id in rows]

    _put(data, change)
    (data / "mail.db").unlink()
    ended = postroom("recover")
    assert (ended.status, b"the key of the project" in ended.out) == (0, True)


def test_a_file_beside_the_boxes_is_told_and_passed_over(postroom: Postroom, data: Path) -> None:
    _put(data, _beneath(b"agents", b"msg_1.md"))
    (data / "mail.db").unlink()
    ended = postroom("recover")
    assert ended.status == 0
    assert b"agents/msg_1.md: no file of the post room" in ended.out


@pytest.mark.parametrize("name", ["out.tar", "out.tar.gz", "out.zip"])
def test_an_export_that_fails_half_way_leaves_no_file(
    postroom: Postroom, data: Path, tmp_path: Path, name: str
) -> None:
    def change(repository: pygit2.Repository, rows: list[Row]) -> list[Row]:
        gone = _tree(repository, [(FILE, b"gone", pygit2.Oid(hex="1" * 40))])
        return [*rows, (FOLDER, b"zz", gone)]

    _put(data, change)
    ended = postroom("archive", "export", "--project", KEY, str(tmp_path / name))
    assert ended.status != 0
    assert not (tmp_path / name).exists()
