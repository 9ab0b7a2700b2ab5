"""Whether a caller is on this machine: nothing that it says itself can make it so."""

import pytest

from postroom.caller_sessions import OUTSIDE
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import Identity
from postroom.rpc.origin import Origin

FORWARDED = "x-forwarded-for"


@pytest.mark.parametrize(
    ("incoming", "is_local"),
    [
        (Incoming(), True),
        (Incoming(peer="127.0.0.1"), True),
        (Incoming(peer="127.8.9.10"), True),
        (Incoming(peer="::1"), True),
        (Incoming(peer="::ffff:127.0.0.1"), True),
        (Incoming(((FORWARDED, "127.0.0.1"),), peer="127.0.0.1"), True),
        (Incoming(peer="10.0.0.1"), False),
        (Incoming(peer="::ffff:10.0.0.1"), False),
        (Incoming(peer="localhost"), False),
        (Incoming(peer="127.0.0.1", is_proxied=True), False),
        (Incoming(is_proxied=True), False),
        (Incoming(((FORWARDED, "10.0.0.1, 127.0.0.1"),), peer="127.0.0.1"), False),
        (Incoming(((FORWARDED, "127.0.0.1"),)), False),
        (Incoming((("forwarded", "for=10.0.0.1"),), peer="127.0.0.1"), False),
        (Incoming((("x-real-ip", "10.0.0.1"),), peer="127.0.0.1"), False),
    ],
    ids=repr,
)
def test_a_caller_is_local_only_when_nothing_speaks_against_it(
    incoming: Incoming, is_local: bool
) -> None:
    assert Origin(Identity(), incoming, OUTSIDE, Outgoing()).is_local is is_local


@pytest.mark.parametrize(
    ("identity", "is_unnamed"),
    [
        (Identity(trusted=True), True),
        (Identity(agent_id="operator"), False),
        (Identity(token="x"), False),
        (Identity(certified_id="agt_1"), False),
    ],
)
def test_only_who_gives_nothing_is_unnamed(identity: Identity, is_unnamed: bool) -> None:
    assert Origin(identity, Incoming(), OUTSIDE, Outgoing()).is_unnamed is is_unnamed
