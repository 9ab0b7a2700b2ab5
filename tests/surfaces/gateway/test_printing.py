"""The table of section 3: what each kind of field looks like, unset and set."""

import json
import re
from typing import Any

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.struct_pb2 import Value

from postroom.rpc.protojson import Printer, Unprintable, encode
from tests.surfaces.gateway.kinds import MESSAGES, POOL, PRINTER, everything, new, printed

NULLS = re.findall(
    r"\w+",
    "inner at lasts mask shape anyValue list any empty nothing wrapped wrappedLong wrappedData"
    " wrappedFlag wrappedDouble",
)
LISTS = re.findall(r"\w+", "texts numbers colors inners values blobs times")
MAPS = re.findall(r"\w+", "words byNumber byFlag named longs")
ZEROS = {
    "text": "",
    "data": "",
    "flag": False,
    "i32": 0,
    "i64": "0",
    "u32": 0,
    "u64": "0",
    "single": 0,
    "double": 0,
    "color": "COLOR_UNSPECIFIED",
    "s32": 0,
    "f64": "0",
}


def test_unset_fields_are_printed_by_their_kind() -> None:
    expected: dict[str, Any] = {
        **ZEROS,
        **dict.fromkeys(NULLS),
        **{name: [] for name in LISTS},
        **{name: {} for name in MAPS},
    }
    assert printed(everything()) == expected


def test_fields_come_in_the_order_of_declaration() -> None:
    declared = [part.rpartition("=")[0].split()[-1] for part in MESSAGES["Inner"].split(";")]
    text = PRINTER.text(new("test.Inner", inners=[{}], text="x"))
    assert list(json.loads(text)) == declared
    assert text == (
        '{"text":"x","number":0,"inner":null,'
        '"inners":[{"text":"","number":0,"inner":null,"inners":[]}]}'
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"text": 'é<&>\u2028"\\\n'}, {"text": 'é<&>\u2028"\\\n'}),
        ({"data": b"\xfb\xff"}, {"data": "+/8="}),
        ({"i64": -(2**63), "u64": 2**64 - 1}, {"i64": str(-(2**63)), "u64": str(2**64 - 1)}),
        ({"color": 2}, {"color": "BLUE"}),
        ({"color": 7}, {"color": 7}),
        ({"colors": [1, 9]}, {"colors": ["RED", 9]}),
        ({"maybe": "", "maybe_number": 0, "maybe_inner": {}}, {"maybe": "", "maybeNumber": 0}),
        ({"left": ""}, {"left": ""}),
        ({"right": 0}, {"right": 0}),
        ({"by_flag": {True: 1, False: 2}}, {"byFlag": {"false": "BLUE", "true": "RED"}}),
        ({"words": {"é": "x"}}, {"words": {"é": "x"}}),
        ({"at": {"seconds": 0}}, {"at": "1970-01-01T00:00:00Z"}),
        ({"at": {"nanos": 500_000_000}}, {"at": "1970-01-01T00:00:00.500Z"}),
        ({"at": {"nanos": 1_000}}, {"at": "1970-01-01T00:00:00.000001Z"}),
        ({"at": {"seconds": -1, "nanos": 1}}, {"at": "1969-12-31T23:59:59.000000001Z"}),
        ({"lasts": {"seconds": -1, "nanos": -500_000_000}}, {"lasts": "-1.500s"}),
        ({"lasts": {"nanos": -1}}, {"lasts": "-0.000000001s"}),
        ({"mask": {"paths": ["a_b.c_d", "e"]}}, {"mask": "aB.cD,e"}),
        ({"wrapped": {"value": ""}}, {"wrapped": ""}),
        ({"wrapped_long": {"value": 5}}, {"wrappedLong": "5"}),
        ({"empty": {}}, {"empty": {}}),
        ({"inner": {}}, {"inner": {"text": "", "number": 0, "inner": None, "inners": []}}),
    ],
)
def test_set_fields_are_printed_by_their_kind(
    values: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert printed(everything(**values)).items() >= expected.items()


@pytest.mark.parametrize("name", ["maybe", "maybeNumber", "maybeInner", "left", "right", "middle"])
def test_what_has_presence_and_is_unset_is_absent(name: str) -> None:
    assert name not in printed(everything())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-1.25e-9, "-1.25e-9"),
        (1234567890123456.0, "1234567890123456"),
        (float("nan"), '"NaN"'),
        (float("inf"), '"Infinity"'),
        (float("-inf"), '"-Infinity"'),
    ],
)
def test_floats_have_their_shortest_digits(value: float, text: str) -> None:
    assert f'"double":{text},' in PRINTER.text(everything(double=value))


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (3.4028235e38, "3.4028235e+38"), (16777216, "16777216")]
)
def test_32_bit_floats_have_the_digits_of_32_bits(value: float, text: str) -> None:
    assert f'"single":{text},' in PRINTER.text(everything(single=value))


def test_map_keys_are_sorted_as_what_they_are() -> None:
    text = PRINTER.text(everything(longs={10: 1, 9: 2, -1: 3}, words={"b": "", "a": ""}))
    assert '"longs":{"-1":"3","9":"2","10":"1"}' in text
    assert '"words":{"a":"","b":""}' in text


def test_struct_is_plain_json() -> None:
    value = {"a": [1, 2.5, None, True, {"b": "c"}], "z": {}}
    message = everything()
    message.shape.update(value)
    assert printed(message)["shape"] == value


def test_any_is_printed_with_its_type_first() -> None:
    message = everything()
    message.any.type_url = "x/test.Inner"
    message.any.value = new("test.Inner", text="t").SerializeToString()
    assert '"any":{"@type":"x/test.Inner","text":"t","number":0' in PRINTER.text(message)
    message.any.type_url = "x/google.protobuf.Duration"
    message.any.value = new("google.protobuf.Duration", seconds=3).SerializeToString()
    assert printed(message)["any"] == {"@type": "x/google.protobuf.Duration", "value": "3s"}
    message.any.Clear()
    assert printed(message)["any"] == {}


@pytest.mark.parametrize(
    "values",
    [
        {"any": {"type_url": "x/test.Nope"}},
        {"any": {"type_url": "x/test.Inner", "value": b"\xff"}},
        {"any_value": {}},
        {"any_value": {"number_value": float("nan")}},
        {"at": {"seconds": 10**12}},
        {"lasts": {"seconds": 1, "nanos": -1}},
        {"mask": {"paths": ["aB"]}},
    ],
)
def test_what_has_no_json_form_is_not_printed(values: dict[str, Any]) -> None:
    with pytest.raises(Unprintable):
        PRINTER.text(everything(**values))


def test_messages_of_the_default_pool_print_too() -> None:
    packed = AnyMessage()
    packed.Pack(Value(string_value="x"))
    expected = {"@type": "type.googleapis.com/google.protobuf.Value", "value": "x"}
    assert json.loads(encode(packed)) == expected


def test_a_printer_can_leave_out_what_is_unset() -> None:
    printer = Printer(POOL, unset=False)
    values = {"maybe": "", "inner": {"inners": [{}]}, "i64": 5, "right": 0, "words": {"a": ""}}
    assert printer.plain(everything(**values)) == {
        "i64": "5",
        "inner": {"inners": [{}]},
        "maybe": "",
        "right": 0,
        "words": {"a": ""},
    }
    assert list(printer.plain(everything(**values)))[:2] == ["i64", "inner"]
    assert printer.text(everything()) == "{}"
