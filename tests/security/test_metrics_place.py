"""/metrics is where only this machine can read it."""

from dataclasses import replace

import pytest

from postroom.exposure import Exposed, judge
from postroom.listen import Address, BadAddress
from postroom.settings import Settings
from tests.acceptance.doors import http_get
from tests.security.conftest import Serving
from tests.security.surfaces import posted
from tests.security.test_exposure import BEYOND

BEHIND_PROXY = Settings(behind_proxy="10.0.0.7/32", host="post.example")


@pytest.mark.parametrize("host", BEYOND)
def test_beyond_loopback_it_is_refused(host: str) -> None:
    with pytest.raises((Exposed, BadAddress), match="--metrics"):
        judge(Settings(metrics=f"{host}:9464"))


def test_behind_a_proxy_it_is_nowhere_unless_it_has_a_place_of_its_own() -> None:
    assert not judge(BEHIND_PROXY).metrics_at_http
    own = judge(replace(BEHIND_PROXY, metrics="127.0.0.1:9464"))
    assert (own.metrics_at_http, own.metrics) == (False, Address("127.0.0.1", 9464))


def test_off_is_off() -> None:
    found = judge(Settings(metrics="off"))
    assert (found.metrics_at_http, found.metrics) == (False, None)


def test_on_loopback_it_is_at_the_http_listener_behind_the_guard(serving: Serving) -> None:
    server = serving()
    found = http_get(server.http, "/metrics")
    assert found.status == 200
    assert found.headers["content-type"].startswith("text/plain")
    with posted(server.http, "/metrics", b"{}", {}) as refused:
        assert refused.status == 404
    with posted(server.http, "/metrics", b"", {"Origin": "http://evil.example"}) as refused:
        assert refused.status == 403


def test_a_listener_of_its_own_has_nothing_else(serving: Serving) -> None:
    server = serving(metrics="127.0.0.1:0")
    own = server.announced["metrics"]
    assert http_get(own, "/metrics").status == 200
    assert http_get(own, "/healthz").status == 404
    assert http_get(server.http, "/metrics").status == 404
    with posted(own, "/agent.v1.AgentService/ListMail", b"{}", {}) as refused:
        assert refused.status == 404
    with posted(own, "/metrics", b"", {"Host": "evil.example"}) as refused:
        assert refused.status == 421
    assert server.stop() == 0
