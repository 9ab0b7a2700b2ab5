"""Spellings of values: as JSON and as text, for each kind of field, good ones and bad ones.

A character from U+DC80 to U+DCFF stands for one byte that is not UTF-8.
"""

from google.protobuf.descriptor import FieldDescriptor

F = FieldDescriptor
Tokens = tuple[tuple[str, ...], tuple[str, ...]]

_DIGITS = "9" * 5000
_NUMBERS = ("0", "1", "-1", "7", "-0", "1e2", "1E+2", "5.0", "50e-1", "2147483647", '"12"', "null")
_QUOTED = ('"1e2"', '"5.0"', '"-3"', '"0"')
_NO_NUMBERS = (
    *('"+5"', '"05"', '" 5"', '"5 "', '""', '"1_000"', '"0x10"', '"\u0661"', '"NaN"', '"ten"'),
    *("01", "+1", ".5", "1.", "1e", "0x10", "--1", "true", "[]", "{}", "NaN", "-Infinity", "1e400"),
)
_WHOLE_BAD = ("1.5", '"1.5"', "0.1", "18446744073709551616", _DIGITS, '"1e-1"')
INT32: Tokens = (
    (*_NUMBERS, *_QUOTED, "-2147483648"),
    (*_NO_NUMBERS, *_WHOLE_BAD, "2147483648", "-2147483649", "1e10"),
)
UINT32: Tokens = (
    ("0", "4294967295", "1e2", '"7"', "null", "-0", "3.0"),
    (*_NO_NUMBERS, *_WHOLE_BAD, "-1", "4294967296", '"-1"'),
)
INT64: Tokens = (
    (*_NUMBERS, *_QUOTED, "9223372036854775807", '"-9223372036854775808"', "1e18"),
    (*_NO_NUMBERS, *_WHOLE_BAD, "9223372036854775808", '"-9223372036854775809"'),
)
UINT64: Tokens = (
    ("0", "18446744073709551615", '"18446744073709551615"', "1e19", "null", "-0"),
    (*_NO_NUMBERS, *_WHOLE_BAD, "-1", "1e20"),
)
DOUBLE: Tokens = (
    (
        *(*_NUMBERS, *_QUOTED, "1.5", "0.1", "1e21", "1e-7", "-0.0", "5e-324", "1e-400", "1e308"),
        *('"NaN"', '"Infinity"', '"-Infinity"', '"1.5e3"', "123456789.123456789", "3.4028235e38"),
    ),
    (*_NO_NUMBERS, _DIGITS, "1e309", '"inf"', '"nan"', '"1e400"', '"+Infinity"'),
)
FLOAT: Tokens = (
    ("0", "1.5", "0.1", "3.4028235e38", "1e-46", "16777217", '"NaN"', "1e-7", "null", "-0"),
    (*_NO_NUMBERS, "3.4028236e38", "1e39", "-3.5e38", '"1e39"'),
)
BOOL: Tokens = (
    ("true", "false", "null"),
    ('"true"', "1", "0", '""', "True", "TRUE", "[]", "{}", "tru", '"false"'),
)
TEXT: Tokens = (
    (
        *('""', '"a"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\u00e9\U0001f600"', '"<b>&\\u2028"'),
        *(
            '"\\n\\t\\/\\\\\\"\\b\\f\\r"',
            '"\\u0000"',
            '"\u2028\u2029\x7f"',
            "null",
            '"\\u001f"',
            '"5"',
            '"16"',
            '"9"',
        ),
        f'"{"x" * 300}"',
    ),
    (
        *("5", "true", "[]", "{}", '"\\ud800"', '"\\udc00\\ud800"', '"\\ud800\\u0041"', '"\\x"'),
        *('"\\u12"', '"\\u12G4"', '"a\nb"', "'a'", '"\x01"', '"\udcff"', '"\udcc3("', '"\\'),
        *('"\udced\udca0\udc80"', "a", '"\\U0041"', '"\\0"', '"a'),
    ),
)
BYTES: Tokens = (
    (
        '""',
        '"QUJD"',
        '"QQ=="',
        '"QQ"',
        '"-_8="',
        '"+/8="',
        '"-_8"',
        "null",
        '"AAEC\\u002f\\u002f8="',
    ),
    (
        '"!"',
        '"QUJD!"',
        '"Q"',
        '"QQ=="x',
        '"QQ==\\n"',
        '"Q Q="',
        '"=QQ="',
        '"QQ==QQ=="',
        "5",
        "[]",
        '"QUJD="',
    ),
)
ENUM_BAD = ("1.5", "true", "[]", "{}", "2147483648", "-2147483649", "1e10", '"', "NaN")
ENUM_ODD = (
    "7",
    "-1",
    "77",
    '"7"',
    '"NOPE"',
    '""',
    '"red"',
    "1.0",
    "1e0",
    "null",
    '"0"',
    "2147483647",
)
TIMESTAMP: Tokens = (
    (
        *('"2026-12-01T09:30:00Z"', '"2026-12-01T09:30:00.5Z"', '"2026-12-01T09:30:00.123456789Z"'),
        *(
            '"2026-12-01T09:30:00+01:00"',
            '"0001-01-01T00:00:00Z"',
            '"9999-12-31T23:59:59.999999999Z"',
        ),
        *("null", '"2026-12-01T09:30:00,5Z"', '"1969-12-31T23:59:59.000001Z"'),
        *('"2024-02-29T00:00:00-23:59"', '"2026-12-01T09:30:00.000Z"'),
    ),
    (
        *(
            '"2026-12-01"',
            '"2026-12-01T09:30:00"',
            '"2026-12-01t09:30:00z"',
            '"2026-12-01 09:30:00Z"',
        ),
        *('"2026-13-01T00:00:00Z"', '"2026-02-29T00:00:00Z"', '"0000-01-01T00:00:00Z"', '""', "5"),
        *('"2026-12-01T09:30:00.1234567890Z"', '"2026-12-01T24:00:00Z"', '"2026-12-01T09:30:60Z"'),
        *(
            '"2026-12-01T09:30:00.Z"',
            '"2026-12-01T09:30:00+25:00"',
            '"10000-01-01T00:00:00Z"',
            "{}",
        ),
        *('"2026-12-1T09:30:00Z"', '"2026-12-01T9:30:00Z"', '"0001-01-01T00:00:00+00:01"', "true"),
    ),
)
DURATION: Tokens = (
    (
        *('"1.5s"', '"0s"', '"-0s"', '"-1.000000001s"', '"315576000000s"', '".5s"', "null", '"1s"'),
        *('"0.000000001s"', '"+1s"', '"1.s"', '"-.5s"'),
    ),
    (
        *(
            '"1"',
            '"1.0000000001s"',
            '"1.5 s"',
            '"1_0s"',
            '"1h"',
            '""',
            "5",
            '"s"',
            '"-s"',
            '"315576000001s"',
        ),
        *('"1e3s"', '" 1s"', '"1S"', '".s"', "{}"),
    ),
)
MASK: Tokens = (
    ('"a"', '"text,inner.number"', '""', '"i32,maybeNumber"', "null"),
    ('"a, b"', '"a,,b"', '"a_b"', '{"paths":["a"]}', "5", '","', '"A.b"', '"a.B"'),
)
ANYTHING: Tokens = (
    (
        *(
            "null",
            "true",
            "1",
            "1.5",
            '"x"',
            "[]",
            "{}",
            '[1,"a",null,{"b":[]}]',
            '{"a":{"b":1e2}}',
        ),
        *('{"":0}', "-0", "1e300", '{"a":null}'),
    ),
    ("NaN", "[1,]", '{"a":1,"a":2}', '{"a"}', "1e400", "[", "tru", '"\\ud800"'),
)
STRUCT: Tokens = (
    ("{}", '{"a":1}', '{"a":{"b":[null]},"c":"d"}', "null", '{"a b":true,"":[]}'),
    ("[]", '"x"', "5", '{"a":1,"a":2}', '{"a":NaN}', "{1:2}"),
)
LIST: Tokens = (("[]", "[1]", '[null,"a",[{}]]', "null"), ("{}", '"x"', "5", "[1,]", "[NaN]"))
ANY: Tokens = (
    (
        *("{}", "null", '{"@type":"type.googleapis.com/test.Inner","text":"a","number":1}'),
        *('{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.5s"}',),
        *('{"text":"late","@type":"type.googleapis.com/test.Inner"}',),
        *('{"@type":"type.googleapis.com/google.protobuf.Value","value":[1]}',),
        *('{"@type":"x/test.Inner","inner":{"inners":[{}]}}',),
        *('{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}',),
        *('{"@type":"type.googleapis.com/test.Inner","nope":1}',),
    ),
    (
        *('{"@type":"type.googleapis.com/no.Such"}', '{"@type":""}', '{"@type":5}', '{"text":"a"}'),
        *(
            '{"@type":"type.googleapis.com/test.Inner","text":5}',
            "[]",
            '"x"',
            '{"@type":"test.Inner"}',
        ),
        *('{"@type":"type.googleapis.com/google.protobuf.Duration"}',),
        *('{"@type":"a/test.Inner","@type":"a/test.Inner"}',),
        *('{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s","x":1}',),
    ),
)
EMPTY: Tokens = (("{}", "null", '{"x":1}'), ("[]", '"x"', "5", "true"))

JSON_OF_TYPE = {
    **dict.fromkeys((F.TYPE_INT32, F.TYPE_SINT32, F.TYPE_SFIXED32), INT32),
    **dict.fromkeys((F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64), INT64),
    **dict.fromkeys((F.TYPE_UINT32, F.TYPE_FIXED32), UINT32),
    **dict.fromkeys((F.TYPE_UINT64, F.TYPE_FIXED64), UINT64),
    F.TYPE_DOUBLE: DOUBLE,
    F.TYPE_FLOAT: FLOAT,
    F.TYPE_BOOL: BOOL,
    F.TYPE_STRING: TEXT,
    F.TYPE_BYTES: BYTES,
}
JSON_OF_MESSAGE = {
    "Timestamp": TIMESTAMP,
    "Duration": DURATION,
    "FieldMask": MASK,
    "Struct": STRUCT,
    "Value": ANYTHING,
    "ListValue": LIST,
    "Any": ANY,
    "Empty": EMPTY,
    "StringValue": TEXT,
    "BytesValue": BYTES,
    "BoolValue": BOOL,
    "Int64Value": INT64,
    "DoubleValue": DOUBLE,
}
