"""The tables of section 2: query parameters and path variables of every type."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.surfaces.gateway.kinds import everything, sent

SETS: list[tuple[str, dict[str, Any]]] = [
    ("inner.inner.text=1", {"inner": {"inner": {"text": "1"}}}),
    ("inner.inner.zz=1", {"inner": {"inner": {}}}),
    ("nope=1&Text=2", {}),
    ("texts=a&texts=b,c&texts=", {"texts": ["a", "b,c", ""]}),
    ("maybeNumber=0&maybe_inner.text=a", {"maybe_number": 0, "maybe_inner": {"text": "a"}}),
    ("words%5Bk%5D=v", {"words": {"k": "v"}}),
    ("words[k]=v&words[l]=", {"words": {"k": "v", "l": ""}}),
    ("longs[7]=-1", {"longs": {7: -1}}),
    ("by_flag[T]=RED", {"by_flag": {True: 1}}),
    ("texts[y]=v", {"texts": ["y", "v"]}),
    ("words[a][b]=v", {}),
    ("color=RED", {"color": 1}),
    ("color=02", {"color": 2}),
    ("colors=RED", {"colors": [1]}),
    ("i32=%2B07&i64=-9", {"i32": 7, "i64": -9}),
    ("double=1e3", {"double": 1000.0}),
    ("double=-Inf", {"double": float("-inf")}),
    ("double=0x1p-2", {"double": 0.25}),
    ("double=1_000", {"double": 1000.0}),
    ("flag=T", {"flag": True}),
    ("flag=FALSE", {}),
    ("data=-_8%3D", {"data": b"\xfb\xff"}),
    ("data=%2B%2F8%3D", {"data": b"\xfb\xff"}),
    ("text=a+b%20c%2B", {"text": "a b c+"}),
    ("maybe=", {"maybe": ""}),
    ("at=1970-01-01T01:00:01%2B01:00", {"at": {"seconds": 1}}),
    ("lasts=1h2m", {"lasts": {"seconds": 3720}}),
    ("lasts=-3s", {"lasts": {"seconds": -3}}),
    ("lasts=1.5s100ms", {"lasts": {"seconds": 1, "nanos": 600_000_000}}),
    ("lasts=0", {"lasts": {}}),
    ("mask=a_b.c,d", {"mask": {"paths": ["a_b.c", "d"]}}),
    ("wrapped=x&wrapped_long.value=3", {"wrapped": {"value": "x"}, "wrapped_long": {"value": 3}}),
    ("wrapped=", {"wrapped": {}}),
    ('shape={"a":1}', {"shape": {"a": 1}}),
    ("anyValue=true", {"any_value": {"bool_value": True}}),
    ("named[a]=1", {"named": {"a": {"number_value": 1}}}),
    ("times=1970-01-01T00:00:01Z", {"times": [{"seconds": 1}]}),
    ("middle.text=a&middle.number=1", {"middle": {"text": "a", "number": 1}}),
    ("left=", {"left": ""}),
    ("&&text=a&", {"text": "a"}),
]

REFUSED = [
    ("text=1;texts=2", "invalid semicolon separator in query"),
    ("nope=%zz", 'invalid URL escape "%zz"'),
    ("nope=%2", 'invalid URL escape "%2"'),
    ("inner=x", 'parsing field "inner": unsupported message type: "test.Inner"'),
    ("any=x", 'parsing field "any": unsupported message type: "google.protobuf.Any"'),
    ("empty=x", 'parsing field "empty": unsupported message type: "google.protobuf.Empty"'),
    ("list=[]", 'parsing field "list": unsupported message type: "google.protobuf.ListValue"'),
    ("text.x=1", 'invalid path: "text" is not a message'),
    ("inners.text=1", 'invalid path: "inners" is not a message'),
    ("words.x=1", 'invalid path: "words" is not a message'),
    ("text=a&text=b", 'too many values for field "text": a, b'),
    ("text[y]=v", 'too many values for field "text": y, v'),
    ("words[k]=v&words[k]=w", 'more than one value provided for key "k" in map "test.All.words"'),
    ("words=v", 'more than one value provided for key "v" in map "test.All.words"'),
    ("longs[x]=1", 'parsing map key "longs": '),
    ("longs[1]=x", 'parsing map value "longs": '),
    ("by_number[1]=x", 'parsing map value "by_number": unsupported message type: "test.Inner"'),
    ("color=7", 'parsing field "color": "7" is not a valid value'),
    ("color=", 'parsing field "color": "" is not a valid value'),
    ("left=a&right=1", 'field already set for oneof "choice"'),
    ("left=a&middle.text=a", 'field already set for oneof "choice"'),
    *((f"i32={bad}", 'parsing field "i32": ') for bad in ("", "+1", "0x1", "1_0", "1.0", "1e1")),
    *((f"u32={bad}", 'parsing field "u32": ') for bad in ("-1", "%2B1", "4294967296")),
    *((f"double={bad}", 'parsing field "double": ') for bad in ("", "1e400", "x", "1__0", "0x1")),
    *((f"flag={bad}", 'parsing field "flag": ') for bad in ("", "yes", "tRUE")),
    *((f"data={bad}", 'parsing field "data": ') for bad in ("QQ", "Q!==", "%2B_8%3D")),
    *((f"at={bad}", 'parsing field "at": ') for bad in ("", "1970", "0000-01-01T00:00:00Z")),
    *((f"lasts={bad}", 'parsing field "lasts": ') for bad in ("5", "", "1x", "9999999h")),
    *((f"shape={bad}", 'parsing field "shape": ') for bad in ("", "[]", "{", "{} {}")),
    ("single=1e39", 'parsing field "single": '),
    ("text=%ff", 'parsing field "text": it is not UTF-8'),
]

PATHS: list[tuple[str, str, dict[str, Any]]] = [
    ("i32", "0x10", {"i32": 16}),
    ("i32", "010", {"i32": 8}),
    ("i32", "1_0", {"i32": 10}),
    ("i32", "-0b11", {"i32": -3}),
    ("u64", "0o17", {"u64": 15}),
    ("flag", "t", {"flag": True}),
    ("double", "1e3", {"double": 1000.0}),
    ("data", "QQ==", {"data": b"A"}),
    ("color", "RED", {"color": 1}),
    ("color", "0x2", {"color": 2}),
    ("at", "1970-01-01T00:00:01Z", {"at": {"seconds": 1}}),
    ("lasts", "1.5s", {"lasts": {"seconds": 1, "nanos": 500_000_000}}),
    ("wrapped", "x", {"wrapped": {"value": "x"}}),
    ("wrapped_long", "0x10", {"wrapped_long": {"value": 16}}),
    ("numbers", "1,0x2,3", {"numbers": [1, 2, 3]}),
    ("texts", "a,b", {"texts": ["a", "b"]}),
    ("maybe", "", {"maybe": ""}),
    ("left", "a", {"left": "a"}),
    ("inner.number", "7", {"inner": {"number": 7}}),
    ("inner.inner.text", "a:b+c", {"inner": {"inner": {"text": "a:b+c"}}}),
    ("middle.text", "a", {"middle": {"text": "a"}}),
]

BAD_PATHS = [
    *(("i32", bad) for bad in ("", "x", "08", "1__0", "2147483648")),
    ("u64", "-1"),
    ("flag", "yes"),
    ("data", "QQ"),
    ("color", "3"),
    ("color", "red"),
    ("at", "now"),
    ("lasts", "1h"),
    ("numbers", "1,,2"),
    ("inner.number", "0x10"),
    ("single", "1e39"),
]


@pytest.mark.parametrize(("query", "values"), SETS)
def test_query_parameters_set_fields(query: str, values: dict[str, Any]) -> None:
    answer, request = sent("GET", f"/q?{query}")
    assert answer.status == 200, answer.json
    assert request == everything(**values)


@pytest.mark.parametrize(("query", "message"), REFUSED)
def test_query_parameters_are_refused(query: str, message: str) -> None:
    answer, request = sent("GET", f"/q?{query}")
    assert answer.status == 400
    assert answer.json["code"] == 3
    assert answer.json["message"].startswith(message)
    assert request is None


@pytest.mark.parametrize(("field", "text", "values"), PATHS)
def test_path_variables_set_fields(field: str, text: str, values: dict[str, Any]) -> None:
    answer, request = sent("GET", f"/path/{field}/{quote(text)}")
    assert answer.status == 200, answer.json
    assert request == everything(**values)


@pytest.mark.parametrize(("field", "text"), BAD_PATHS)
def test_path_variables_are_refused(field: str, text: str) -> None:
    answer, request = sent("GET", f"/path/{field}/{quote(text)}")
    assert answer.status == 400
    assert answer.json["message"].startswith(f"type mismatch, parameter: {field}, error: ")
    assert request is None


@pytest.mark.parametrize("query", ["text=b", "text=b&text=c", "text[x]=y"])
def test_what_the_path_binds_the_query_cannot_touch(query: str) -> None:
    answer, request = sent("GET", f"/q/a?{query}")
    assert answer.status == 200
    assert request == everything(text="a")


def test_names_above_a_bound_one_are_refused_and_names_beside_it_are_not() -> None:
    answer, _ = sent("GET", "/path/inner.number/7?inner=x")
    assert answer.status == 400
    _, request = sent("GET", "/path/inner.number/7?inner.text=x&inner.number=8")
    assert request == everything(inner={"number": 7, "text": "x"})


def test_the_path_excludes_its_siblings_in_the_oneof() -> None:
    answer, request = sent("GET", "/path/left/a?right=1")
    assert (answer.status, request) == (400, None)
    answer, request = sent("POST", "/path/left/a", '{"right":1}')
    assert (answer.status, request) == (400, None)
    _, request = sent("POST", "/path/left/a", '{"left":"b"}')
    assert request == everything(left="a")
