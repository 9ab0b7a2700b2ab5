"""Bodies that are one field, masks made from bodies, and answers that are one field."""

import json
from typing import Any

import pytest

from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.http import ask
from tests.surfaces.gateway.kinds import POOL, door, everything, new, sent

FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("inner", '{"text":"a"}', {"inner": {"text": "a"}}),
    ("inner", "", {"inner": {}}),
    ("inner.inner", '{"number":1}', {"inner": {"inner": {"number": 1}}}),
    ("middle", "{}", {"middle": {}}),
    ("at", '"1970-01-01T00:00:01Z"', {"at": {"seconds": 1}}),
    ("text", '"a"', {"text": "a"}),
    ("text", "null", {}),
    ("text", "", {}),
    ("i64", "-5", {"i64": -5}),
    ("color", "1", {"color": 1}),
    ("data", '"QQ=="', {"data": b"A"}),
    ("flag", "true", {"flag": True}),
    ("double", "1.5e1", {"double": 15.0}),
    ("maybe", '""', {"maybe": ""}),
    ("numbers", "[1,2]", {"numbers": [1, 2]}),
    ("inners", '[{"text":"a"},{}]', {"inners": [{"text": "a"}, {}]}),
    ("words", '{"a":"b"}', {"words": {"a": "b"}}),
    ("by_number", '{"0x1":{"text":"a"}}', {"by_number": {1: {"text": "a"}}}),
    ("longs", '{"1":2}', {"longs": {1: 2}}),
]

REFUSED = [
    ("inner", "null"),
    ("inner", "[]"),
    ("i64", '"5"'),
    ("i64", "5.0"),
    ("i64", "1e2"),
    ("color", '"RED"'),
    ("data", '"QQ"'),
    ("double", '"1"'),
    ("text", "1"),
    ("numbers", "1"),
    ("numbers", '["1"]'),
    ("words", "[]"),
    ("longs", '{"x":1}'),
]

MASKS = [
    ('{"text":"a","maybeNumber":1}', ["maybe_number", "text"]),
    ('{"inner":{"text":"a","inner":{"number":1}}}', ["inner.inner.number", "inner.text"]),
    ('{"inner":{},"texts":["a"],"words":{"a":"b"}}', ["inner", "texts", "words"]),
    ('{"shape":{"a":{"b":1}},"at":"1970-01-01T00:00:00Z"}', ["at", "shape.a.b"]),
    ('{"any":{"@type":"x/test.Inner","text":"a"}}', ["any"]),
    ("{}", []),
    ("", []),
]

ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    ("inner", {"inner": {"text": "<"}}, '{"text":"<","number":0,"inner":null,"inners":[]}'),
    ("inner", {}, '{"text":"","number":0,"inner":null,"inners":[]}'),
    ("at", {}, '"1970-01-01T00:00:00Z"'),
    ("i64", {"i64": 5}, "5"),
    ("data", {}, "[]"),
    ("data", {"data": b"A"}, '"QQ=="'),
    ("maybe", {}, "null"),
    ("maybe", {"maybe": ""}, '""'),
    ("color", {"color": 1}, '"RED"'),
    ("colors", {"colors": [1]}, '["RED"]'),
    ("texts", {}, "[]"),
    ("texts", {"texts": ["<&>\u2028"]}, '["\\u003c\\u0026\\u003e\\u2028"]'),
    ("words", {"words": {"b": "1", "a": "2"}}, '{"a":"2","b":"1"}'),
    ("longs", {"longs": {10: 1, 9: 2}}, '{"10":1,"9":2}'),
    ("double", {"double": 5.0}, "5"),
]


@pytest.mark.parametrize(("field", "body", "values"), FIELDS)
def test_a_body_can_be_one_field(field: str, body: str, values: dict[str, Any]) -> None:
    answer, request = sent("POST", f"/field/{field}", body)
    assert answer.status == 200, answer.json
    assert request == everything(**values)


@pytest.mark.parametrize(("field", "body"), REFUSED)
def test_a_body_that_is_one_field_is_refused(field: str, body: str) -> None:
    answer, request = sent("POST", f"/field/{field}", body)
    assert (answer.status, answer.json["code"], request) == (400, 3, None)
    assert answer.json["message"]


def test_beside_a_body_field_the_query_fills_the_others() -> None:
    _, request = sent("POST", "/field/text?text=q&i32=1", '"a"')
    assert request == everything(text="a", i32=1)


@pytest.mark.parametrize(("body", "paths"), MASKS)
def test_a_patch_without_mask_gets_one_from_its_body(body: str, paths: list[str]) -> None:
    answer, request = sent("PATCH", "/patch/a", body)
    assert answer.status == 200, answer.json
    assert list(request.update_mask.paths) == paths
    assert request.id == "a"


def test_a_patch_with_a_mask_keeps_it() -> None:
    _, request = sent("PATCH", "/patch/a?updateMask=text", '{"inner":{}}')
    assert list(request.update_mask.paths) == ["text"]


def test_a_patch_refuses_unknown_keys() -> None:
    answer, request = sent("PATCH", "/patch/a", '{"inner":{"zzz":1}}')
    assert request is None
    assert answer.json["message"] == 'could not find field "zzz" in "test.Inner"'


@pytest.mark.parametrize(("field", "values", "expected"), ANSWERS)
def test_an_answer_can_be_one_field(field: str, values: dict[str, Any], expected: str) -> None:
    answer = ask(Gateway(door(everything(**values)), pool=POOL), "GET", f"/answer/{field}")
    assert answer.body.decode() == expected
    json.loads(answer.body)


def test_an_http_body_is_sent_as_it_is() -> None:
    raw = new("google.api.HttpBody", content_type="text/csv", data=b"a,\xff")
    answer = ask(Gateway(door(raw), pool=POOL), "GET", "/raw")
    assert (answer.header("Content-Type"), answer.body) == (["text/csv"], b"a,\xff")
