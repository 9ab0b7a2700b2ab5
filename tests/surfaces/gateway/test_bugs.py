"""Bugs that other servers had in the same place, one row each.

Rows that another test holds already are named in HELD, by that test.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.gateway.kinds import everything, sent

OK: list[tuple[str, str, str, str, dict[str, Any]]] = [
    (
        "grpc-gateway#3848",
        "GET",
        "/path/inner.number/7?inner.text=x",
        "",
        {"inner": {"number": 7, "text": "x"}},
    ),
    (
        "grpc-gateway#7059",
        "GET",
        "/path/inner.inner.text/a",
        "",
        {"inner": {"inner": {"text": "a"}}},
    ),
    ("armeria#5890", "GET", "/q?maybe_number=3", "", {"maybe_number": 3}),
    (
        "grpc-gateway#753",
        "GET",
        "/q?middle.text=1&middle.number=2",
        "",
        {"middle": {"text": "1", "number": 2}},
    ),
    ("aspnetcore#45270", "GET", "/q?color=BLUE", "", {"color": 2}),
    ("kong#14907", "GET", "/q?colors=RED", "", {"colors": [1]}),
    ("envoy#21151", "GET", "/q?words%5Bk%5D=v", "", {"words": {"k": "v"}}),
    ("envoy#13634", "POST", "/field/data?data=x", '"QQ=="', {"data": b"A"}),
    ("armeria#4640 query", "GET", "/q?mask=a_b,c", "", {"mask": {"paths": ["a_b", "c"]}}),
    ("armeria#4640 body", "POST", "/star", '{"mask":"aB,c"}', {"mask": {"paths": ["a_b", "c"]}}),
    ("protobuf#15021", "POST", "/star", '{"color":"NEW_VALUE","text":"x"}', {"text": "x"}),
    ("protobuf#1969 set", "POST", "/star", '{"inner":{}}', {"inner": {}}),
    ("protobuf#1969 unset", "POST", "/star", '{"inner":null}', {}),
    ("grpc-gateway#6938", "POST", "/field/middle", '{"text":"a"}', {"middle": {"text": "a"}}),
    ("gunicorn#2953", "GET", "/q?text=a", '{"text":"b"}', {"text": "a"}),
]

NO = [
    ("grpc-gateway#492", "GET", "/q?inners.number=3", "", "inners"),
    ("aspnetcore#68639", "GET", "/path/left/a?right=1", "", "choice"),
    ("grpc-gateway#680", "GET", "/q?text=a;b", "", "semicolon"),
    ("grpc-gateway#324", "GET", "/q?color.x=1", "", '"color" is not a message'),
    ("protobuf#29829 junk", "POST", "/star", '{"data":"QUJD!!!"}', "data: "),
    ("protobuf#29829 blank", "POST", "/star", '{"data":"QUJ D"}', "data: "),
    ("protobuf#20418", "POST", "/star", '{"maybe_number":1,"maybeNumber":2}', "maybeNumber: "),
    (
        "protobuf#26736",
        "POST",
        "/star",
        '{"shape":' + '{"a":' * 200 + "1" + "}" * 201,
        "deeper",
    ),
    ("protobuf#6537", "POST", "/star", '{"shape":' + '{"a":' * 34 + "1" + "}" * 35, "deeper"),
    ("protobuf#25586", "POST", "/star", "", "deeper"),
    ("protobuf#7933 object", "POST", "/star", '{"at":{}}', "at: "),
    ("protobuf#7933 list", "POST", "/star", '{"at":[]}', "at: "),
    ("grpc-gateway#4579", "PATCH", "/patch/a", '{"zzz":1}', "zzz"),
    (
        "grpc-gateway#1930",
        "POST",
        "/star",
        '{"mask":{"paths":["a"]}}',
        "mask: must be a string",
    ),
    ("grpc-gateway#1123", "POST", "/star", '{"inner":{"number":"x"}}', "inner.number: "),
]

HELD = {
    "grpc-gateway#224": "get_path_colon",
    "grpc-gateway#760": "/v2/{name=p/*}:stream",
    "grpc-gateway#2990": "/dummies:verb",
    "envoy#13920": "/a/b:c:d",
    "grpc-gateway#566": "get_path_encoded_slash",
    "grpc-gateway#308": "/v1/x%3Ago",
    "grpc-gateway#3263": "/foo/{path=**}",
    "vanguard-go#190": "/foo/{path=a/*}",
    "aspnetcore#66401": "get_query_path_param_wins",
    "grpc-gateway#366": "color=RED",
    "envoy#13965": "get_query_plus_and_percent",
    "envoy#9395": "nope=1&Text=2",
    "protobuf#3210": "test_unset_fields_are_printed_by_their_kind",
    "protobuf#4408": "test_set_fields_are_printed_by_their_kind",
    "grpc-gateway#1842": "error_details_unresolvable",
    "grpc-gateway#2591": "stream_error_midway",
    "grpc-gateway#538": "stream_error_first_trailers_only",
    "envoy#6270": "stream_unauthenticated",
    "grpc-go#576": "error_www_authenticate_newline",
    "grpc#9863": "md_bad_name_skipped",
    "a2a-python#656": "test_names_of_the_transport_are_not_passed_on",
    "connect-py#234": "content_type_charset_utf16_ignored",
    "connectrpc.com#122": "error_deadline_exceeded",
    "connectrpc.com#274": "error_unimplemented",
    "connect-es#1604": "test_metadata_of_the_answer_becomes_headers",
}


@pytest.mark.parametrize(("issue", "method", "path", "body", "values"), OK)
def test_it_is_served(
    issue: str, method: str, path: str, body: str, values: dict[str, Any]
) -> None:
    answer, request = sent(method, path, body)
    assert answer.status == 200, issue
    assert request == everything(**values)


@pytest.mark.parametrize(("issue", "method", "path", "body", "told"), NO)
def test_it_is_refused(issue: str, method: str, path: str, body: str, told: str) -> None:
    if issue == "protobuf#25586":
        body = f'{{"any":{_any_in_any(110)}}}'
    answer, request = sent(method, path, body)
    assert (answer.status, request) == (400, None), issue
    assert told in answer.json["message"]


def test_what_other_tests_hold_is_there() -> None:
    folder = Path(__file__).parent
    texts = [path.read_text() for path in folder.iterdir() if path.suffix in (".py", ".json")]
    others = [text for text in texts if "HELD = {" not in text]
    missing = {key for key, name in HELD.items() if not any(name in text for text in others)}
    assert not missing


def _any_in_any(depth: int) -> str:
    text = '{"@type":"x/test.Inner"}'
    for _ in range(depth):
        text = f'{{"@type":"x/google.protobuf.Any","value":{text}}}'
    return text
