"""Forty ways to be handed another file than one that may be attached (S6)."""

import errno
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from postroom.attaching import beneath
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.paths import Roots

SECRET = b"a secret"
GOOD = b"a picture"


@pytest.fixture(params=["kernel", "steps"])
def opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of opening: an old kernel or a container's filter has only the second."""
    if request.param == "steps":

        def missing(*_: object) -> int:
            raise OSError(errno.ENOSYS, "no such call")

        monkeypatch.setattr(beneath, "by_kernel", missing)
    return str(request.param)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project's files, with secrets around and within."""
    files = tmp_path / "archive" / "one" / "files"
    (files / "shots" / "ä").mkdir(parents=True)
    for name in ("good.png", "shots/a.png", "shots/ä/b c.png", "%2e%2e", "tricky;name.png"):
        (files / name).write_bytes(GOOD)
    for name in (".git/a.png", ".hidden.png", "x/.ssh/a.png", "server.pem", "x/A.KEY", "id_rsa"):
        _write(files / name)
    for name in ("operator.token", "mail.db", "mail.db-wal", "x/Y.SQLITE3", "~", "~user/a.png"):
        _write(files / name)
    for name in ("a\\b.png", "a\nb.png", "C:/a.png", "a\u202eb.png", "a\u0308.png", "c:a.png"):
        _write(files / name)
    (tmp_path / "plain.png").write_bytes(GOOD)
    for name in ("secret.png", "archive/two/files/secret.png", "archive/one/filesx/secret.png"):
        _write(tmp_path / name)
    _make_links(files, tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        # From within, because a socket's path must be short.
        monkeypatch.chdir(files)
        listener.bind("socket.png")
        yield files


def _write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(SECRET)


def _make_links(files: Path, around: Path) -> None:
    (files / "link.png").symlink_to(around / "secret.png")
    (files / "inner.png").symlink_to("good.png")
    (files / "up").symlink_to("..")
    (files / "root").symlink_to("/")
    (files / "self").symlink_to("/proc/self")
    (files / "loop").symlink_to("loop")
    (files / "dangling.png").symlink_to("nothing.png")
    os.link(around / "secret.png", files / "hard.png")
    os.mkfifo(files / "pipe.png")
    with (files / "huge.png").open("wb") as huge:
        huge.truncate(8 * 1024 * 1024 + 1)


Trick = Callable[[Path], str]
TRICKS: dict[str, Trick] = {
    "nothing": lambda _: "",
    "a dot": lambda _: ".",
    "up": lambda _: "../files/good.png",
    "up to a neighbour": lambda _: "../../two/files/secret.png",
    "up from within": lambda _: "shots/../good.png",
    "far up": lambda _: "../" * 60 + "etc/hostname",
    "a dot within": lambda _: "shots/./a.png",
    "two slashes": lambda _: "shots//a.png",
    "a slash at the end": lambda _: "good.png/",
    "a folder": lambda _: "shots",
    "absolute": lambda files: str(files.parents[2] / "secret.png"),
    "absolute into the files": lambda files: str(files / "good.png"),
    "absolute with two slashes": lambda files: f"/{files}/good.png",
    "a file of the system": lambda _: "/etc/passwd",
    "the process": lambda _: "/proc/self/environ",
    "a link to a secret": lambda _: "link.png",
    "a link to a good file": lambda _: "inner.png",
    "a link to the folder above": lambda _: "up/files/good.png",
    "a link to everything": lambda _: "root/etc/hostname",
    "a link to the process": lambda _: "self/environ",
    "a link of the kernel": lambda _: "self/cwd/etc/hostname",
    "a link to itself": lambda _: "loop",
    "a link to nothing": lambda _: "dangling.png",
    "a second name of a secret": lambda _: "hard.png",
    "a pipe": lambda _: "pipe.png",
    "a socket": lambda _: "socket.png",
    "a device": lambda _: "/dev/zero",
    "a huge file": lambda _: "huge.png",
    "what is not there": lambda _: "nothing.png",
    "a file used as a folder": lambda _: "good.png/a.png",
    "a repository": lambda _: ".git/a.png",
    "a hidden file": lambda _: ".hidden.png",
    "a hidden folder": lambda _: "x/.ssh/a.png",
    "a certificate": lambda _: "server.pem",
    "a key in capitals": lambda _: "x/A.KEY",
    "a key by its usual name": lambda _: "id_rsa",
    "a token": lambda _: "operator.token",
    "the database": lambda _: "mail.db",
    "the database's journal": lambda _: "mail.db-wal",
    "another database": lambda _: "x/Y.SQLITE3",
    "a home": lambda _: "~/a.png",
    "somebody's home": lambda _: "~user/a.png",
    "a backslash": lambda _: "a\\b.png",
    "backslashes up": lambda _: "..\\..\\secret.png",
    "a line end": lambda _: "a\nb.png",
    "a NUL": lambda _: "good.png\0.txt",
    "a drive": lambda _: "C:/a.png",
    "a drive without a slash": lambda _: "c:a.png",
    "a letter that turns the text": lambda _: "a\u202eb.png",
    "letters not in the normal form": lambda _: "a\u0308.png",
    "half a letter": lambda _: "\udc80.png",
    "escapes of URLs": lambda _: "%2e%2e/%2e%2e/two/files/secret.png",
    "an escaped slash": lambda _: "shots%2fa.png",
    "a URL of a file": lambda files: f"file://{files}/good.png",
    "a long path": lambda _: "shots/" * 170 + "a.png",
    "a long name": lambda _: "a" * 256,
}


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.usefixtures("opening")
def test_c59_a_trick_reads_nothing_and_learns_nothing(files: Path, trick: str) -> None:
    with pytest.raises(Unusable) as raised:
        Roots().read(TRICKS[trick](files), files)
    assert raised.value.failure is Failure.PATH
    assert raised.value.__cause__ is None


def test_there_are_forty_tricks() -> None:
    assert len(TRICKS) >= 40


@pytest.mark.parametrize(
    "text", ["good.png", "shots/a.png", "shots/ä/b c.png", "%2e%2e", "tricky;name.png"]
)
@pytest.mark.usefixtures("opening")
def test_a_plain_path_is_read(files: Path, text: str) -> None:
    assert Roots().read(text, files) == GOOD


@pytest.mark.usefixtures("opening")
def test_an_absolute_path_is_read_below_a_root_only(files: Path, tmp_path: Path) -> None:
    shots = tmp_path / "shots"
    _write(shots / "deep" / "a.png")
    _write(tmp_path / "shotsx" / "a.png")
    (shots / "link.png").symlink_to("deep/a.png")
    roots = Roots([shots])
    assert roots.read(f"{shots}/deep/a.png", files) == SECRET
    for text in ("shots", "shotsx/a.png", "shots/link.png", "shots/../secret.png", "shots/deep"):
        with pytest.raises(Unusable):
            roots.read(f"{tmp_path}/{text}", files)


@pytest.mark.usefixtures("opening")
def test_a_root_may_be_a_link_or_hidden_because_the_operator_named_it(
    files: Path, tmp_path: Path
) -> None:
    _write(tmp_path / ".shots" / "a.png")
    (tmp_path / "there").symlink_to(".shots")
    for root in (tmp_path / ".shots", tmp_path / "there"):
        assert Roots([root]).read(f"{root}/a.png", files) == SECRET


def test_hidden_folders_are_not_read_even_below_a_root(files: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(".")
    roots = Roots([tmp_path, tmp_path / "alias"], hidden=[tmp_path / "archive"])
    for text in ("archive/two/files/secret.png", "alias/archive/two/files/secret.png"):
        with pytest.raises(Unusable):
            roots.read(f"{tmp_path}/{text}", files)
    assert roots.read(f"{tmp_path}/plain.png", files) == GOOD


def test_a_project_without_a_folder_has_nothing_to_read(tmp_path: Path, files: Path) -> None:
    (tmp_path / "instead").symlink_to(files)
    for folder in (tmp_path / "none", tmp_path / "instead"):
        with pytest.raises(Unusable):
            Roots().read("good.png", folder)


@pytest.mark.usefixtures("opening")
def test_no_descriptor_stays_open(files: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for trick in TRICKS.values():
        with pytest.raises(Unusable):
            Roots().read(trick(files), files)
    assert Roots().read("good.png", files) == GOOD
    assert len(list(Path("/proc/self/fd").iterdir())) == before
