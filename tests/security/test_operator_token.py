"""The file with the operator's token: made once, and never where others get at it."""

import os
import threading
from pathlib import Path

import pytest

from postroom import token
from postroom.operator_token import NotKept, keep
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.doubles import START, ManualClock


def rows(store: Store) -> list[token.Token]:
    return list(store.read(lambda session: session.tokens(agent=None, after=0, limit=100)))


def test_it_is_made_once_and_kept(store: Store, tmp_path: Path) -> None:
    path = keep(store, tmp_path / "new/data", START)
    first = path.read_text()
    assert first.startswith("pro_")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert keep(store, tmp_path / "new/data", START).read_text() == first
    (row,) = rows(store)
    assert (row.agent_id, row.expires_at, row.key_id in first) == ("operator", None, True)
    assert row.secret_hash not in first.encode()


@pytest.mark.parametrize("content", ["", "pro_", f"pro_{'a' * 12}_{'A' * 43}\n", "\0" * 9999])
def test_what_proves_nothing_is_replaced(store: Store, tmp_path: Path, content: str) -> None:
    path = tmp_path / token.OPERATOR_FILE
    path.write_text(content)
    path.chmod(0o600)
    keep(store, tmp_path, START)
    assert path.read_text().strip() != content.strip()
    assert len(rows(store)) == 1


def test_a_token_that_was_revoked_or_that_others_could_read_is_replaced(
    store: Store, tmp_path: Path
) -> None:
    path = keep(store, tmp_path, START)
    first = path.read_text()
    store.write(lambda session: session.revoke_token(rows(store)[0], START))
    second = keep(store, tmp_path, START).read_text()
    path.chmod(0o640)
    third = keep(store, tmp_path, START).read_text()
    assert len({first, second, third}) == 3
    assert [row.revoked_at is None for row in rows(store)] == [False, False, True]


def test_an_agents_token_is_no_operators(store: Store, tmp_path: Path) -> None:
    path = keep(store, tmp_path, START)
    path.write_text(path.read_text().replace("pro_", "prt_"))
    assert keep(store, tmp_path, START).read_text().startswith("pro_")


def test_neither_a_link_nor_a_pipe_is_followed(store: Store, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched")
    path = tmp_path / "data" / token.OPERATOR_FILE
    path.parent.mkdir(0o700)
    for kind in ("link", "pipe"):
        if kind == "link":
            path.symlink_to(elsewhere)
        else:
            os.mkfifo(path)
        keep(store, path.parent, START)
        assert path.is_file()
        assert not path.is_symlink()
        path.unlink()
    assert elsewhere.read_text() == "untouched"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_refused(
    store: Store, tmp_path: Path, mode: int
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(NotKept, match="chmod go-w"):
        keep(store, folder, START)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotKept, match="cannot keep"):
        keep(store, tmp_path / "file", START)
    assert rows(store) == []


def test_servers_that_start_together_make_one(
    database_url: str, tmp_path: Path, clock: ManualClock
) -> None:
    stores = [open_store(database_url, clock) for _ in range(4)]
    threads = [threading.Thread(target=keep, args=(each, tmp_path, START)) for each in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (row,) = rows(stores[0])
    assert row.key_id in (tmp_path / token.OPERATOR_FILE).read_text()
    for each in stores:
        each.close()
