"""The chain of foreign reads: what it notices."""

from dataclasses import fields, replace
from typing import Any

import pytest

from postroom.chain import GENESIS, ChainBroken, Walk, link
from postroom.mail import MailDirection
from postroom.records import MailboxRead, Proof, ReadEvent, Shown

FIRST = MailboxRead(
    id="read_1",
    reader=2,
    reader_id="agt_a",
    owner=3,
    owner_id="agt_b",
    read_at=7,
    method="S/M",
    direction=MailDirection.RECEIVED,
)
OTHERS: dict[str, Any] = {
    "id": "read_2",
    "reader_id": "agt_c",
    "owner_id": "agt_c",
    "read_at": 8,
    "method": "S/N",
    "direction": None,
    "event": ReadEvent.REFUSED,
    "reason": "X",
    "attempts": 2,
    "proof": Proof.TOKEN,
    "key_id": "k",
    "surface": "grpc",
    "peer": "::1",
    "request_id": "r",
    "shown": Shown(0),
}
# The store's own keys; the ids stand for them.
NUMBERS = {"number", "reader", "owner"}


def chained(*reads: MailboxRead) -> list[tuple[MailboxRead, str]]:
    found, head = [], GENESIS
    for read in reads:
        head = link(head, read)
        found.append((read, head))
    return found


def test_every_field_is_part_of_the_hash() -> None:
    assert OTHERS.keys() | NUMBERS == {field.name for field in fields(MailboxRead)}
    hashes = {link(GENESIS, FIRST)}
    hashes |= {link(GENESIS, replace(FIRST, **{name: OTHERS[name]})) for name in OTHERS}
    shown = [Shown(1, None, None), Shown(None, "1", None), Shown(None, None, "1")]
    hashes |= {link(GENESIS, replace(FIRST, shown=each)) for each in shown}
    assert len(hashes) == len(OTHERS) + 1 + len(shown)


def test_fields_do_not_run_into_each_other() -> None:
    one = replace(FIRST, peer="a", request_id="bc")
    other = replace(FIRST, peer="ab", request_id="c")
    assert link(GENESIS, one) != link(GENESIS, other)


def test_a_hash_depends_on_all_that_came_before() -> None:
    (_, one), (_, two) = chained(FIRST, FIRST)
    assert len({one, two, GENESIS}) == 3


@pytest.mark.parametrize("noted", ["", GENESIS, link(GENESIS, FIRST)])
def test_a_whole_chain_leads_to_its_head_over_every_head_before(noted: str) -> None:
    walk = Walk(noted)
    both = chained(FIRST, replace(FIRST, id="read_2"))
    for read, hash in both:
        walk.step(read, hash)
    walk.end(2, both[-1][1])
    assert (walk.reads, walk.head) == (2, both[-1][1])


def test_an_empty_chain_is_whole() -> None:
    Walk().end(0, GENESIS)


def test_a_head_that_was_noted_and_is_not_met_is_missed() -> None:
    walk = Walk("f" * 64)
    ((read, hash),) = chained(FIRST)
    walk.step(read, hash)
    with pytest.raises(ChainBroken, match=r"no record has the hash f{64}"):
        walk.end(1, hash)
