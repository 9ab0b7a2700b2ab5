"""Who a caller is, from what it gave."""

from functools import partial

import pytest

from postroom.errors import CallerUnknown, Code
from postroom.records import Proof
from postroom.rpc.door import Metadata
from postroom.rpc.identity import Identity, identify, values
from postroom.rpc.throttle import Throttle
from postroom.token import invalid_token, token_required
from tests.doubles import START
from tests.room import Room, refused

NAME, PROOF = "postroom-agent-id", "authorization"
TOKEN = f"prt_{'a' * 12}_{'s' * 43}"


@pytest.mark.parametrize(
    ("metadata", "agent_id"),
    [
        ((), ""),
        (((NAME, ""),), ""),
        (((NAME, "agt_1"),), "agt_1"),
        (((NAME, "agt_1"), (NAME, "agt_1")), "agt_1"),
        ((("other", "agt_1"),), ""),
        (((NAME, b"agt_1"),), ""),
        (((NAME, "operator"),), "operator"),
    ],
    ids=repr,
)
def test_an_agent_may_be_named(metadata: Metadata, agent_id: str) -> None:
    assert identify(metadata, trusted=True) == Identity(agent_id, "", trusted=True)


@pytest.mark.parametrize("text", [f"Bearer {TOKEN}", f"bearer  {TOKEN} ", f"BEARER {TOKEN}"])
def test_a_token_is_a_bearers(text: str) -> None:
    assert identify([(PROOF, text)], trusted=False) == Identity("", TOKEN)


@pytest.mark.parametrize("text", ["Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, "xyz"])
def test_what_is_no_bearers_token_is_not_taken_for_nothing(text: str) -> None:
    refusal = refused(lambda: identify([(PROOF, text)], trusted=True))
    assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "TOKEN_INVALID")
    assert text not in refusal.message


@pytest.mark.parametrize("name", [NAME, PROOF])
@pytest.mark.parametrize("others", [("agt_1", "agt_2"), ("agt_1", ""), ("", "agt_1")])
def test_two_different_identities_are_refused(name: str, others: tuple[str, str]) -> None:
    refusal = refused(lambda: identify([(name, other) for other in others], trusted=True))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "AMBIGUOUS_CREDENTIAL")


@pytest.mark.parametrize(
    ("uris", "certified"),
    [
        ((), ""),
        (("spiffe://example.org/agent/agt_1",), "agt_1"),
        (("urn:postroom:agent:agt_1",), "agt_1"),
        (("urn:postroom:agent:agt_1", "spiffe://x/agent/agt_1"), "agt_1"),
        (("https://example.org/agent/agt_1", "spiffe://x/agents/agt_1"), ""),
        (("spiffe://x/y/agent/agt_1", "urn:postroom:agent:", "spiffe:///agent/agt_1"), ""),
        (("urn:postroom:agent:agt_1/..",), ""),
    ],
    ids=repr,
)
def test_a_certificate_names_an_agent_by_a_uri(uris: tuple[str, ...], certified: str) -> None:
    found = identify((), trusted=False, peer_uris=uris)
    assert found == Identity("", "", certified_id=certified)


def test_a_certificate_of_two_agents_is_refused() -> None:
    uris = ("urn:postroom:agent:a", "urn:postroom:agent:b")
    refusal = refused(lambda: identify((), trusted=False, peer_uris=uris))
    assert refusal.reason == "AMBIGUOUS_CREDENTIAL"


def test_only_text_counts_as_a_value() -> None:
    metadata = (("a", "1"), ("b", "2"), ("a", b"3"), ("a", "4"))
    assert values(metadata, "a") == ["1", "4"]


def test_the_caller_is_a_live_agent_in_either_store(room: Room) -> None:
    alfa, gone = room.agent("alfa"), room.agent("gone", state="AGENT_STATE_DORMANT")
    named = partial(_caller, room)
    for id in (alfa.id, gone.id, "operator"):
        assert named(Identity(id, trusted=True)) == id
    room.call("ArchiveAgent", id=gone.id)
    for id, reason in (
        (gone.id, "CALLER_ARCHIVED"),
        ("agt_nobody", "CALLER_UNKNOWN"),
        ("alfa", "CALLER_UNKNOWN"),
        ("agt_\0", "CALLER_UNKNOWN"),
        ("agt_\ud800", "CALLER_UNKNOWN"),
        ("agt_" + "x" * 100_000, "CALLER_UNKNOWN"),
    ):
        refusal = refused(partial(named, Identity(id, trusted=True)))
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, reason)
        assert len(refusal.message) < 1_000


def test_everything_that_is_given_must_mean_the_same_agent(room: Room) -> None:
    alfa, bravo = room.agent("alfa").id, room.agent("bravo").id
    token = room.call("CreateToken", agent_id=alfa).token
    named = partial(_caller, room)
    for same in (
        Identity("", token),
        Identity(alfa, token),
        Identity("", "", certified_id=alfa),
        Identity(alfa, token, certified_id=alfa),
    ):
        assert named(same) == alfa
    for mixed in (
        Identity(bravo, token),
        Identity("", token, certified_id=bravo),
        Identity(bravo, "", certified_id=alfa),
        Identity(alfa, token, certified_id=bravo),
        Identity("operator", token, trusted=True),
    ):
        refusal = refused(partial(named, mixed))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "IDENTITY_MISMATCH")


def test_bad_tokens_of_a_peer_are_counted_for_a_minute() -> None:
    now = 0.0
    throttle = Throttle(lambda: now)
    refusal = invalid_token()
    for second in range(20):
        now = float(second)
        assert throttle.judged(refusal, "10.0.0.1") is refusal
    throttled = throttle.judged(refusal, "10.0.0.1")
    assert (throttled.code, throttled.reason) == (Code.RESOURCE_EXHAUSTED, "AUTH_THROTTLED")
    assert throttled.retry_after == 41.0
    assert throttle.judged(refusal, "10.0.0.2") is refusal
    assert throttle.judged(refusal, "") is refusal
    other: CallerUnknown = token_required("call with a token")
    assert throttle.judged(other, "10.0.0.1") is other
    now = 60.0
    assert throttle.judged(refusal, "10.0.0.1") is refusal
    assert throttle.judged(refusal, "10.0.0.1").reason == "AUTH_THROTTLED"


def test_only_so_many_peers_are_remembered() -> None:
    throttle = Throttle(lambda: 0.0)
    for number in range(30_000):
        throttle.judged(invalid_token(), f"peer {number}")
    assert len(throttle._peers) == 10_000


def _caller(room: Room, identity: Identity) -> str:
    return room.office.store.read(lambda session: identity.caller(session, START).id)


@pytest.mark.parametrize(
    ("identity", "proof", "key_id"),
    [
        (Identity("agt_1", TOKEN, certified_id="agt_1"), Proof.TOKEN, "a" * 12),
        (Identity("agt_1", certified_id="agt_1"), Proof.CERTIFICATE, ""),
        (Identity("agt_1", trusted=True), Proof.NAMED, ""),
        (Identity(trusted=True), Proof.OPERATOR, ""),
    ],
)
def test_how_a_caller_proves_itself_is_told(identity: Identity, proof: Proof, key_id: str) -> None:
    assert (identity.proof, identity.key_id) == (proof, key_id)
