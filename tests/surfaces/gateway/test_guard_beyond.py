"""The guard of a server that other machines can reach, alone or through a proxy."""

from ipaddress import ip_network
from typing import Any

import pytest

from postroom.surfaces.gateway import Gateway, Guard, Rules
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask
from tests.surfaces.gateway.kinds import CONTRACT, POOL

PROXY = "10.0.0.7"
HOST = "post.example"
BEHIND: dict[str, Any] = {
    "is_local": False,
    "proxies": (ip_network("10.0.0.7/32"), ip_network("fd00::/8")),
    "only_proxies": True,
}


def asked(*headers: tuple[str, str], client: str, host: str = HOST, **rules: Any) -> Answer:
    door = ScriptedDoor(CONTRACT.specs)
    known = frozenset({HOST, "10.0.0.1:8787"})
    app = Guard(Gateway(door, pool=POOL), Rules(hosts=known, **rules))
    answer = ask(app, "POST", "/star", [("Content-Type", "application/json"), *headers], "{}",
                 host=host, client=client)  # fmt: skip
    answer.peer = door.asked[0].incoming.peer if door.asked else ""  # type: ignore[attr-defined]
    answer.is_proxied = bool(door.asked) and door.asked[0].incoming.is_proxied  # type: ignore[attr-defined]
    return answer


def reason(answer: Answer) -> str:
    return str(answer.json["details"][0]["reason"])


@pytest.mark.parametrize("client", ["10.0.0.9", "2001:db8::1", "127.0.0.1"])
def test_other_machines_pass_where_the_server_is_for_them(client: str) -> None:
    assert asked(client=client, is_local=False).status == 200


def test_a_forwarded_request_of_no_proxy_is_refused_all_the_same() -> None:
    answer = asked(("X-Forwarded-For", "1.2.3.4"), client="10.0.0.9", is_local=False)
    assert (answer.status, reason(answer)) == (403, "PROXIED")
    answer = asked(("X-Forwarded-For", "1.2.3.4"), client="10.0.0.8", **BEHIND)
    assert reason(answer) == "NOT_THE_PROXY"


@pytest.mark.parametrize("client", [PROXY, "fd00::5", f"::ffff:{PROXY}", "127.0.0.1", "::1"])
def test_plain_text_is_the_proxys_and_this_machines_alone(client: str) -> None:
    assert asked(client=client, **BEHIND).status == 200
    for other in ("10.0.0.8", "2001:db8::1", "fe80::1", "1.2.3.4"):
        answer = asked(client=other, **BEHIND)
        assert (answer.status, reason(answer)) == (403, "NOT_THE_PROXY")


@pytest.mark.parametrize(
    ("hops", "peer"),
    [
        ((), PROXY),
        (("1.2.3.4",), "1.2.3.4"),
        (("6.6.6.6, 1.2.3.4",), "1.2.3.4"),
        (("6.6.6.6", "1.2.3.4"), "1.2.3.4"),
        ((f"6.6.6.6, 1.2.3.4, {PROXY}, fd00::9",), "1.2.3.4"),
        (("127.0.0.1, 1.2.3.4",), "1.2.3.4"),
        ((PROXY,), PROXY),
    ],
)
def test_the_caller_is_the_last_that_is_no_proxy(hops: tuple[str, ...], peer: str) -> None:
    headers = [("X-Forwarded-For", hop) for hop in hops]
    answer = asked(*headers, client=PROXY, **BEHIND)
    assert answer.peer == peer  # type: ignore[attr-defined]


@pytest.mark.parametrize("hops", [(), ("127.0.0.1",), ("1.2.3.4",), (PROXY,)])
def test_the_door_knows_that_a_proxy_has_handed_a_call_on(hops: tuple[str, ...]) -> None:
    headers = [("X-Forwarded-For", hop) for hop in hops]
    assert asked(*headers, client=PROXY, **BEHIND).is_proxied  # type: ignore[attr-defined]
    for direct in ("127.0.0.1", "10.0.0.9"):
        assert not asked(client=direct, is_local=False).is_proxied  # type: ignore[attr-defined]


def test_the_names_are_checked_behind_a_proxy_too() -> None:
    answer = asked(client=PROXY, host="evil.example", **BEHIND)
    assert (answer.status, reason(answer)) == (421, "BAD_HOST")
    answer = asked(("X-Forwarded-Host", HOST), client=PROXY, host="evil.example", **BEHIND)
    assert reason(answer) == "BAD_HOST"


def test_the_proxys_scheme_is_that_of_the_own_page() -> None:
    origin = ("Origin", f"https://{HOST}")
    assert asked(origin, ("X-Forwarded-Proto", "https"), client=PROXY, **BEHIND).status == 200
    assert reason(asked(origin, client=PROXY, **BEHIND)) == "BAD_ORIGIN"
    assert reason(asked(origin, ("X-Forwarded-Proto", "http"), client=PROXY, **BEHIND)) == (
        "BAD_ORIGIN"
    )


def test_the_address_of_the_connection_is_a_name_where_all_are_listened_on() -> None:
    # The connection was made to 127.0.0.1:8787.
    for any_address, status in ((True, 200), (False, 421)):
        rules = {"is_local": False, "any_address": any_address}
        assert asked(client="10.0.0.9", host="127.0.0.1:8787", **rules).status == status
        assert asked(client="10.0.0.9", host="localhost:8787", **rules).status == 421
        assert asked(client="10.0.0.9", host="127.0.0.1:8788", **rules).status == 421
