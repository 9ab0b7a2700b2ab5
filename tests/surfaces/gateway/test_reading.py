"""The table of section 4: what request JSON is accepted, refused and dropped."""

from typing import Any

import pytest

from postroom.errors import Code
from postroom.rpc.protojson import JsonInvalid, decode, parse, plain, read
from tests.surfaces.gateway.kinds import decoded, everything, new

HUGE = "1" + "0" * 5000
DEEP = "[" * 101 + "]" * 101

REFUSED = [
    "[]",
    '"x"',
    "null",
    "5",
    '{"inner":[]}',
    '{"inner":""}',
    '{"text":"a","text":"b"}',
    '{"maybe_number":1,"maybeNumber":2}',
    '{"inner":null,"inner":{}}',
    '{"text":"\\ud800"}',
    '{"nope":"\\udc00"}',
    '{"nope":["\\ud800\\ud800"]}',
    '{"double":NaN}',
    '{"nope":-Infinity}',
    f'{{"i64":{HUGE}}}',
    f'{{"double":{HUGE}}}',
    f'{{"nope":{DEEP}}}',
    '{"i32":"+5"}',
    '{"i32":"05"}',
    '{"i32":"1_000"}',
    '{"i32":"٣"}',
    '{"i32":" 5"}',
    '{"i32":""}',
    '{"i32":5.5}',
    '{"i32":2147483648}',
    '{"i32":1e10}',
    '{"i32":1e99999999999999999999}',
    '{"u32":-1}',
    '{"u64":"18446744073709551616"}',
    '{"i32":true}',
    '{"double":true}',
    '{"color":true}',
    '{"double":" 1"}',
    '{"double":"1_0"}',
    '{"double":"inf"}',
    '{"double":1e400}',
    '{"single":3.5e38}',
    '{"color":1.5}',
    '{"flag":"true"}',
    '{"flag":1}',
    '{"text":1}',
    '{"data":"!"}',
    '{"data":"QU JD"}',
    '{"data":"QU=D"}',
    '{"data":"QUJD\\n"}',
    '{"data":"QQ="}',
    '{"data":"Q"}',
    '{"data":"+_"}',
    '{"longs":{"01":"1","1":"2"}}',
    '{"longs":{"1.0":"1"}}',
    '{"words":{"a":null}}',
    '{"words":{"a":"1","a":"2"}}',
    '{"byFlag":{"1":1}}',
    '{"texts":[null]}',
    '{"texts":"a"}',
    '{"inners":[null]}',
    '{"inners":{}}',
    '{"values":null}',
    '{"words":[]}',
    '{"at":"2026-01-02T03:04:00.Z"}',
    '{"at":"2026-01-02T03:04:00+25:00"}',
    '{"at":"2026-01-02t03:04:00z"}',
    '{"at":"2026-02-30T03:04:00Z"}',
    '{"at":"2026-01-02T03:04:60Z"}',
    '{"at":"2026-01-02T03:04:00.0123456789Z"}',
    '{"at":"0001-01-01T00:00:00+01:00"}',
    '{"at":{}}',
    '{"at":5}',
    '{"lasts":"1.0000000001s"}',
    '{"lasts":"1.5 s"}',
    '{"lasts":"1_0s"}',
    '{"lasts":"01s"}',
    '{"lasts":"1"}',
    '{"lasts":"s"}',
    '{"lasts":"1h"}',
    '{"lasts":"315576000001s"}',
    '{"mask":"a, b"}',
    '{"mask":"a,,b"}',
    '{"mask":"a_b"}',
    '{"mask":{"paths":["a"]}}',
    '{"left":"a","right":1}',
    '{"any":{"@type":"x/test.Nope"}}',
    '{"any":{"@type":"x/google.protobuf.Duration","seconds":1}}',
    '{"any":{"@type":"x/test.Inner","@type":"x/test.Inner"}}',
    '{"wrapped":1}',
    '{"shape":[]}',
    '{"shape":{"a":1,"a":2}}',
    '{"list":{}}',
    '{"anyValue":1e400}',
]

ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("{} and more", {}),
    ('{"nope":{"a":1,"a":2},"text":"x"}', {"text": "x"}),
    ('{"[test.ext]":1,"text":"x"}', {"text": "x"}),
    (f'{{"nope":{HUGE},"text":"x"}}', {"text": "x"}),
    ('{"text":null,"inner":null,"texts":null,"words":null,"left":null,"right":2}', {"right": 2}),
    ('{"i32":1e2}', {"i32": 100}),
    ('{"i32":"1e2"}', {"i32": 100}),
    ('{"i32":5.0}', {"i32": 5}),
    ('{"i32":"5.0"}', {"i32": 5}),
    ('{"i32":120e-1}', {"i32": 12}),
    ('{"i32":0.5e1}', {"i32": 5}),
    ('{"i32":0e99999}', {}),
    ('{"i32":-0}', {}),
    ('{"i64":"-9223372036854775808"}', {"i64": -(2**63)}),
    ('{"u64":18446744073709551615}', {"u64": 2**64 - 1}),
    ('{"double":"1.5e3"}', {"double": 1500.0}),
    ('{"double":"-Infinity"}', {"double": float("-inf")}),
    ('{"single":3.4028235e38}', {"single": 3.4028234663852886e38}),
    ('{"color":"NOPE"}', {}),
    ('{"color":"7"}', {}),
    ('{"color":7}', {"color": 7}),
    ('{"color":1e0}', {"color": 1}),
    ('{"color":null}', {}),
    ('{"colors":["RED","NOPE",2]}', {"colors": [1, 2]}),
    ('{"byFlag":{"true":"NOPE","false":"RED"}}', {"by_flag": {False: 1}}),
    ('{"data":"-_8"}', {"data": b"\xfb\xff"}),
    ('{"data":"+/8="}', {"data": b"\xfb\xff"}),
    ('{"data":"QQ"}', {"data": b"A"}),
    ('{"maybe":"","maybeNumber":0,"maybe_inner":{}}', {"maybe": "", "maybe_number": 0}),
    ('{"longs":{"+1":1,"02":2}}', {"longs": {1: 1, 2: 2}}),
    ('{"at":"2026-01-02T03:04:00,5Z"}', {"at": {"seconds": 1767323040, "nanos": 500_000_000}}),
    ('{"at":"1970-01-01T01:00:00+01:00"}', {"at": {}}),
    ('{"at":"1970-01-01T00:00:00-00:01"}', {"at": {"seconds": 60}}),
    ('{"lasts":".5s"}', {"lasts": {"nanos": 500_000_000}}),
    ('{"lasts":"-1.5s"}', {"lasts": {"seconds": -1, "nanos": -500_000_000}}),
    ('{"mask":"aB.cD,e"}', {"mask": {"paths": ["a_b.c_d", "e"]}}),
    ('{"mask":""}', {"mask": {}}),
    ('{"anyValue":null}', {"any_value": {"null_value": 0}}),
    ('{"values":[null,1]}', {"values": [{"null_value": 0}, {"number_value": 1}]}),
    ('{"nothing":null,"empty":{}}', {"empty": {}}),
    ('{"nothing":"NULL_VALUE"}', {}),
    ('{"wrapped":"","wrappedLong":"5"}', {"wrapped": {}, "wrapped_long": {"value": 5}}),
    ('{"any":{}}', {"any": {}}),
    ('{"shape":{"a":"Infinity"}}', {"shape": {"a": "Infinity"}}),
    ('{"text":"\\ud83d\\ude00 \\\\ud800"}', {"text": "😀 \\ud800"}),
]


@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused(text: str) -> None:
    with pytest.raises(JsonInvalid) as refused:
        decoded(text)
    assert refused.value.code == Code.INVALID_ARGUMENT
    assert refused.value.message
    assert len(refused.value.message) < 300


@pytest.mark.parametrize(("text", "values"), ACCEPTED)
def test_it_is_accepted(text: str, values: dict[str, Any]) -> None:
    message, _ = decoded(text)
    expected = everything(**values)
    if "maybe" in values:
        expected.maybe_inner.SetInParent()
    if not message.HasField("any_value"):
        assert message == expected
    assert message.SerializeToString(deterministic=True) == expected.SerializeToString(
        deterministic=True
    )


def test_nan_is_read_from_its_word() -> None:
    message, _ = decoded('{"double":"NaN"}')
    assert message.double != message.double


@pytest.mark.parametrize("body", [b"\xff", b'{"text":"\xff"}', b'{"nope":"\xc3"}', b"{} \xfe"])
def test_bytes_that_are_not_utf8_are_refused_anywhere(body: bytes) -> None:
    with pytest.raises(JsonInvalid, match="UTF-8"):
        decode(body, type(new("test.All")))


@pytest.mark.parametrize("body", [b"", b" \r\n\t "])
def test_a_blank_body_is_the_empty_message(body: bytes) -> None:
    assert decode(body, type(new("test.All"))) == (everything(), [])


@pytest.mark.parametrize(
    "text",
    [
        *("{", '{"', '{"text', '{"text"', '{"text":', '{"text":"a', '{"text":"a\\', "[1,"),
        *('{"text":"a\\u12', '{"flag":tru', '{"text":n', '{"i32":1.', '{"i32":-', '{"text":"a",'),
    ],
)
def test_what_is_cut_short_is_told_in_the_known_words(text: str) -> None:
    with pytest.raises(JsonInvalid, match=r"^unexpected EOF$"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ('{"nope":1,"inner":{"zz":{"a":1}}}', ["nope", "inner.zz"]),
        ('{"inners":[{},{"zz":1}],"byNumber":{"3":{"zz":1}}}', ["inners[1].zz", "byNumber[3].zz"]),
        ('{"color":"NOPE","colors":["RED","X"]}', ["color", "colors[1]"]),
        ('{"byFlag":{"true":"X"}}', ["byFlag[true]"]),
        ('{"empty":{"a":1},"any":{"a":1}}', ["empty.a", "any.a"]),
        ('{"any":{"@type":"x/test.Inner","zz":1}}', ["any.zz"]),
        ('{"any":{"@type":"x/google.protobuf.Empty","value":{},"zz":1}}', ["any.zz"]),
    ],
)
def test_what_is_dropped_is_told_or_refused_when_strict(text: str, dropped: list[str]) -> None:
    assert decoded(text)[1] == dropped
    with pytest.raises(JsonInvalid) as refused:
        decoded(text, strict=True)
    assert refused.value.violations[0].field == dropped[0]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"inner":{"number":"x"}}', "inner.number"),
        ('{"inners":[{},{"text":1}]}', "inners[1].text"),
        ('{"words":{"k":1}}', "words[k]"),
        ('{"shape":{"a":[{"b":1e999}]}}', "shape.a[0].b"),
        ('{"any":{"@type":"x/test.Inner","text":1}}', "any.text"),
        ('{"any":{"@type":"x/google.protobuf.Duration","value":1}}', "any.value"),
    ],
)
def test_an_error_names_the_path_of_the_field(text: str, path: str) -> None:
    with pytest.raises(JsonInvalid) as refused:
        decoded(text)
    assert refused.value.violations[0].field == path
    assert refused.value.message.startswith(f"{path}: ")


def _nested(depth: int) -> str:
    return '{"inner":' * depth + "{}" + "}" * depth


@pytest.mark.parametrize(
    ("most", "text"),
    [
        (98, _nested),
        (32, lambda depth: '{"shape":' + '{"a":' * depth + "1" + "}" * (depth + 1)),
        (49, lambda depth: '{"list":' + "[" * depth + "]" * depth + "}"),
    ],
)
def test_json_may_not_nest_deeper_than_the_wire_can(most: int, text: Any) -> None:
    message, _ = decoded(text(most))
    type(message).FromString(message.SerializeToString())
    with pytest.raises(JsonInvalid, match="deeper"):
        decoded(text(most + 2))


def test_parsed_values_are_read_the_same() -> None:
    given = {"text": "x", "i32": 5.0, "i64": 7, "double": 1, "nope": 1, "colors": ["BLUE", 1]}
    message, dropped = read(given, type(everything()))
    assert message == everything(text="x", i32=5, i64=7, double=1, colors=[2, 1])
    assert dropped == ["nope"]
    assert plain(message)["i64"] == "7"


@pytest.mark.parametrize("given", [{"text": "\ud800"}, {"i32": 0.5}, {"double": "x"}, {"text": []}])
def test_parsed_values_are_refused_the_same(given: dict[str, Any]) -> None:
    with pytest.raises(JsonInvalid):
        read(given, type(everything()))


@pytest.mark.parametrize("piece", ["0,", "[],", '"a":0,'])
def test_json_of_very_many_values_is_refused_before_it_is_parsed(piece: str) -> None:
    start, end = ("{", '"b":0}') if ":" in piece else ("[", "0]")
    with pytest.raises(JsonInvalid, match="300,000"):
        parse(start + piece * 300_001 + end)


def test_a_long_text_may_have_as_many_commas_as_the_longest_body() -> None:
    assert parse('{"text":"' + "a,b:" * 65_536 + '"}')
