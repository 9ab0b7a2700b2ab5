"""Spellings of values as text, for paths and queries: good ones and bad ones for each kind.

A character from U+DC80 to U+DCFF stands for one byte that is not UTF-8.
"""

from google.protobuf.descriptor import FieldDescriptor

from tests.interop.gateway.tokens import Tokens

F = FieldDescriptor

_WHOLE_BAD = (
    *(
        "",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "ten",
        "--1",
        "0x",
        "\u0661",
        "9" * 40,
        "1__0",
        "_1",
        "1_",
        "0b2",
    ),
    *("true", "null", "[1]", "1,2,x"),
)
# A path takes these, a query does not.
_WHOLE_ODD = ("0x10", "010", "1_0", "0b11", "0o17", "+5", "-0", "00", "0X1F", "08", "0_7", "1_000")
INT32: Tokens = (
    ("0", "7", "-7", "2147483647", "-2147483648"),
    (*_WHOLE_ODD, *_WHOLE_BAD, "2147483648", "-2147483649"),
)
INT64: Tokens = (
    ("0", "9223372036854775807", "-9223372036854775808", "12"),
    (*_WHOLE_ODD, *_WHOLE_BAD, "9223372036854775808"),
)
UINT32: Tokens = (("0", "4294967295", "3"), (*_WHOLE_ODD, *_WHOLE_BAD, "4294967296", "-1"))
UINT64: Tokens = (
    ("0", "18446744073709551615", "3"),
    (*_WHOLE_ODD, *_WHOLE_BAD, "18446744073709551616", "-1"),
)
DOUBLE: Tokens = (
    (
        *("0", "1.5", "1e3", "-0", "inf", "-Inf", "NaN", "nan", "Infinity", "+Infinity", "0x1p-2"),
        *(
            "1_000",
            ".5",
            "5.",
            "1e-400",
            "4.9e-324",
            "0.1",
            "1E5",
            "123456789012345678901234567890",
        ),
    ),
    ("", " 1", "1e309", "x", "0x1", "1e", ".", "infin", "1,5", "-NaN", "--1", "\u0661", "0x_1p2"),
)
FLOAT: Tokens = (
    ("0", "1.5", "3.4028235e38", "-inf", "nan", "0.1", "16777217", "1e-46", "0x1p3"),
    ("", "1e39", "x", "3.4028236e38", "1 "),
)
BOOL: Tokens = (
    ("1", "t", "T", "true", "True", "TRUE", "0", "f", "F", "false", "False", "FALSE"),
    ("", "yes", "tRUE", "on", " true", "2", "null"),
)
TEXT: Tokens = (
    (
        *(
            "",
            "a",
            "a b",
            "a+b",
            "\u20ac",
            "\U0001f600",
            "a,b",
            "a/b",
            "a%b",
            "a&b=c",
            "[x]",
            "a:b",
        ),
        *("..", ".", "~", "'\"<>", "\x00", "\n", "\x7f", "a;b", "%2F", "a" * 400, "null", "#?"),
    ),
    ("\udcff", "a\udcc3(", "\udced\udca0\udc80"),
)
BYTES: Tokens = (
    ("", "QUJD", "QQ==", "-_8=", "+/8=", "AAEC"),
    ("QQ", "!", "Q", "QQ=", "Q Q=", "QUJD\n", "=", "QQ==QQ==", "-_8"),
)
ENUM = (
    *(
        "02",
        "0x1",
        "01",
        "+1",
        "",
        "red",
        "7",
        "-1",
        "RED ",
        "1.0",
        "COLOR_RED",
        "9999999999",
        "\u0661",
    ),
)
TIMESTAMP: Tokens = (
    (
        *("2026-12-01T09:30:00Z", "2026-12-01T09:30:00.123456789Z", "2026-12-01T09:30:00+01:00"),
        *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-12-01T09:30:00.5-08:00"),
    ),
    (
        *("", "2026-12-01", "now", "0000-01-01T00:00:00Z", "2026-12-01T09:30:00", "5", "null"),
        *("2026-12-01T09:30:00 01:00", "2026-02-30T00:00:00Z", '"2026-12-01T09:30:00Z"'),
    ),
)
DURATION: Tokens = (
    ("1.5s", "0s", "-3s", "1s"),
    ("", "5", "x", "1d", "s", "1 s", "1.5", "--1s", "null", "99999999999999999999s"),
)
# Go's own syntax: a query takes it, a path does not.
DURATION_ODD = (
    "1h2m",
    "100ms",
    "1us",
    "1\u00b5s",
    "1.5h",
    "0",
    "-1m30s",
    "+2s",
    ".5s",
    "1h1h",
    "1.s",
    "3ns",
)
MASK: Tokens = (
    ("a", "a,b", "text,inner.number", "a_b.c", "", ",", "maybeNumber", "a b"),
    ("\udcff",),
)
STRUCT: Tokens = (
    ("{}", '{"a":1}', '{"a":{"b":[null]}}'),
    ("", "[]", "x", '{"a":1,"a":2}', "null", "5"),
)
ANYTHING: Tokens = (
    ("null", "1.5", '"x"', "[1,{}]", "true", '{"a":1}'),
    ("", "x", "[1,]", "NaN", "'a'"),
)

TEXT_OF_TYPE = {
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
TEXT_OF_MESSAGE = {
    "Timestamp": TIMESTAMP,
    "Duration": (DURATION[0] + DURATION_ODD, DURATION[1]),
    "FieldMask": MASK,
    "Struct": STRUCT,
    "Value": ANYTHING,
    "StringValue": TEXT,
    "BytesValue": BYTES,
    "BoolValue": BOOL,
    "Int64Value": INT64,
    "DoubleValue": DOUBLE,
}
