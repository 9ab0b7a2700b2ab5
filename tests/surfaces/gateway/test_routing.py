"""Path templates, what they match, and which of several wins."""

from collections.abc import Sequence

import pytest
from google.api.http_pb2 import CustomHttpPattern, HttpRule
from google.protobuf.descriptor_pb2 import MethodDescriptorProto

from postroom.rpc.contract import read
from postroom.surfaces.gateway import Gateway
from postroom.surfaces.gateway.failure import Failure
from postroom.surfaces.gateway.router import Router
from postroom.surfaces.gateway.template import parse
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import ask
from tests.surfaces.gateway.kinds import ENUMS, MESSAGES
from tests.surfaces.gateway.protos import method, pool_of


def found(templates: Sequence[str], path: str, *, verb: str = "GET") -> tuple[str, dict[str, str]]:
    """Return the template that a path takes and its variables, or the failure's text."""
    router: Router[str] = Router()
    for template in templates:
        router.add(verb, parse(template), template)
    try:
        match = router.find("GET", path, is_form=False)
    except Failure as failure:
        return str(failure), {}
    return match.route, dict(match.variables)


MATCHES = [
    ("/", "/", {}),
    ("/v1/{id}", "/v1/a", {"id": "a"}),
    ("/v1/{id}", "/v1/", {"id": ""}),
    ("/v1/{id}/mail", "/v1//mail", {"id": ""}),
    ("/v1/*/x", "/v1/anything/x", {}),
    ("/v1/{a=x/*/y}", "/v1/x/b/y", {"a": "x/b/y"}),
    ("/t/{s=files/**}", "/t/files", {"s": "files/"}),
    ("/t/{s=files/**}", "/t/files/a/b", {"s": "files/a/b"}),
    ("/t/{s=**}", "/t", {"s": ""}),
    ("/t/{s=**}/end", "/t/a/b/end", {"s": "a/b"}),
    ("/t/**/end", "/t/end", {}),
    ("/v1/a:b", "/v1/a:b", {}),
    ("/v1/{id}:go", "/v1/x:y:go", {"id": "x:y"}),
    ("/v1/{id}:go:on", "/v1/x:go:on", {"id": "x"}),
    ("/a/{arg=**}", "/a/b:c:d", {"arg": "b:c:d"}),
    ("/v1/{a}/{b.c}", "/v1/x/y", {"a": "x", "b.c": "y"}),
    ("/v1/{id}", "/v1/%E2%82%AC%2F%3A", {"id": "€/:"}),
    ("/v1/{id}/mail", "/v1/a%2Fb/mail", {"id": "a/b"}),
    ("/v1/{id}", "/v1/a%252Fb", {"id": "a%2Fb"}),
    ("/v1/{id}", "/v1/..", {"id": ".."}),
    ("/v1/{id}", "/v1/a+b", {"id": "a+b"}),
    ("/v1/x%20y", "/v1/x y", {}),
    ("/foo/{path=a/*}", "/foo/a/b%2Fc", {"path": "a/b/c"}),
    ("/foo/{path=**}", "/foo/a%2Fb/c", {"path": "a/b/c"}),
]

MISSES = [
    ("/v1/{id}", "/v1", "Not Found"),
    ("/v1/{id}", "/v1/a/b", "Not Found"),
    ("/v1/{id}", "/v1/a/", "Not Found"),
    ("/v1/{id}", "//v1/a", "Not Found"),
    ("/v1/{id}", "/V1/a", "Not Found"),
    ("/", "//", "Not Found"),
    ("/v1/{id}:go", "/v1/x", "Not Found"),
    ("/v1/{id}:go", "/v1/:go", "Not Found"),
    ("/v1/{id}:go", "/v1/x%3Ago", "Not Found"),
    ("/v1/a", "/v1%2Fa", "Not Found"),
    ("/t/**/a/b", "/t/b", "Not Found"),
    ("/v1/{id}", "*", "Bad Request"),
    ("/v1/{id}", "/v1/%zz", "Bad Request"),
    ("/v1/{id}", "/v1/%4", "Bad Request"),
]

LAST_WINS = [
    (["/p/fixed", "/p/{x}"], "/p/fixed", "/p/{x}"),
    (["/p/{x}", "/p/fixed"], "/p/fixed", "/p/fixed"),
    (["/p/{x}", "/p/{x}:go"], "/p/a:go", "/p/{x}:go"),
    (["/p/{x}:go", "/p/{x}"], "/p/a:go", "/p/{x}"),
    (["/v2/{name=p/*}", "/v2/{name=p/*}:stream"], "/v2/p/1:stream", "/v2/{name=p/*}:stream"),
    (["/orgs", "/orgs:verb", "/dummies:verb"], "/orgs:verb", "/orgs:verb"),
    (["/dummies:verb", "/orgs:verb", "/orgs"], "/orgs:verb", "/orgs:verb"),
    (["/orgs:verb", "/dummies:verb", "/orgs"], "/orgs", "/orgs"),
]

BAD_TEMPLATES = [
    *("", "v1", "/v1/", "/v1//a", "/{a", "/a}", "/{a}b", "/a{b}", "/{a={b}}", "/{}", "/{a.}"),
    *("/**/**", "/{a=**}/**", "/{a}/{a}", "/a b", "/{1a}", "/{a=}x", "/<a>"),
]


@pytest.mark.parametrize(("template", "path", "variables"), MATCHES)
def test_a_template_matches(template: str, path: str, variables: dict[str, str]) -> None:
    assert found([template], path) == (template, variables)


@pytest.mark.parametrize(("template", "path", "message"), MISSES)
def test_a_template_does_not_match(template: str, path: str, message: str) -> None:
    assert found([template], path) == (message, {})


@pytest.mark.parametrize(("templates", "path", "winner"), LAST_WINS)
def test_of_several_templates_the_last_that_matches_wins(
    templates: list[str], path: str, winner: str
) -> None:
    assert found(templates, path)[0] == winner


@pytest.mark.parametrize(("templates", "path", "winner"), LAST_WINS)
def test_a_path_that_was_found_before_is_found_the_same(
    templates: list[str], path: str, winner: str
) -> None:
    router: Router[str] = Router()
    for template in templates:
        router.add("POST", parse(template), template)
        router.add("GET", parse("/elsewhere"), "")
    first, again = (router.find("POST", path, is_form=False) for _ in range(2))
    assert first == again == (winner, first.variables)
    with pytest.raises(Failure, match="Method Not Allowed"):
        router.find("GET", path, is_form=True)


def test_a_route_that_is_added_later_wins_over_what_was_found() -> None:
    router: Router[str] = Router()
    router.add("POST", parse("/p/fixed"), "first")
    assert router.find("POST", "/p/fixed", is_form=False).route == "first"
    router.add("POST", parse("/p/{x}"), "second")
    assert router.find("POST", "/p/fixed", is_form=False) == ("second", {"x": "fixed"})


def test_a_form_that_fell_back_to_get_is_no_answer_to_another_body() -> None:
    router: Router[str] = Router()
    router.add("POST", parse("/p:a:b"), "post")
    router.add("GET", parse("/p"), "get")
    router.add("POST", parse("/q"), "q")
    assert router.find("POST", "/p", is_form=True).route == "get"
    with pytest.raises(Failure, match="Method Not Allowed"):
        router.find("POST", "/p", is_form=False)


@pytest.mark.parametrize("template", BAD_TEMPLATES)
def test_a_template_that_cannot_work_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="path template"):
        parse(template)


def test_a_path_of_another_method_is_not_allowed() -> None:
    assert found(["/v1/{id}"], "/v1/a", verb="POST")[0] == "Method Not Allowed"


def _gateway(*methods: MethodDescriptorProto) -> Gateway:
    pool = pool_of("test", MESSAGES, ENUMS, methods)
    return Gateway(ScriptedDoor(read(["test.proto"], pool, {}).specs), pool=pool)


@pytest.mark.parametrize(
    "rule",
    [
        HttpRule(get="/a", body="*"),
        HttpRule(delete="/a", body="*"),
        HttpRule(get="/a/{nope}"),
        HttpRule(get="/a/{text.x}"),
        HttpRule(get="/a/{inner}"),
        HttpRule(get="/a/{any}"),
        HttpRule(get="/a/{shape}"),
        HttpRule(get="/a/{words}"),
        HttpRule(get="/a/{inners}"),
        HttpRule(post="/a", body="nope"),
        HttpRule(post="/a", body="text.x"),
        HttpRule(get="/a", response_body="nope"),
        HttpRule(get="/a/"),
    ],
)
def test_a_rule_that_cannot_work_is_refused_at_the_start(rule: HttpRule) -> None:
    with pytest.raises(ValueError, match=r"."):
        _gateway(method("Do", ".test.All", ".test.All", rule))


def test_the_same_route_twice_in_a_service_is_refused() -> None:
    rules = (HttpRule(get="/a"), HttpRule(get="/a"))
    with pytest.raises(ValueError, match="is taken"):
        _gateway(method("Do", ".test.All", ".test.All", *rules))


def test_any_method_name_can_be_bound() -> None:
    custom = HttpRule(custom=CustomHttpPattern(kind="HEAD", path="/a"))
    answer = ask(_gateway(method("Do", ".test.All", ".test.All", custom)), "HEAD", "/a")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.header("Content-Length")[0]) > 100


def test_a_method_with_a_rule_has_no_other_path() -> None:
    gateway = _gateway(method("Do", ".test.All", ".test.All", HttpRule(get="/a")))
    assert ask(gateway, "POST", "/test.Service/Do").status == 404


def test_a_method_without_a_rule_is_served_by_its_name() -> None:
    gateway = _gateway(method("Do", ".test.All", ".test.All"))
    assert ask(gateway, "POST", "/test.Service/Do").status == 200
    assert ask(gateway, "GET", "/test.Service/Do").status == 501
