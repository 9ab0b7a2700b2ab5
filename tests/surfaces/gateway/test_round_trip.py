"""Whatever message is printed reads back as the same message."""

from typing import Any

from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.surfaces.gateway.kinds import POOL, PRINTER, decoded, everything

TEXT = st.text(max_size=20)
I32 = st.integers(-(2**31), 2**31 - 1)
I64 = st.integers(-(2**63), 2**63 - 1)
DOUBLES = st.floats(allow_nan=False)
# The reference reader refuses the largest float.
SINGLES = st.floats(-(2.0**127), 2.0**127, width=32, allow_nan=False)
INNER = st.fixed_dictionaries({}, optional={"text": TEXT, "number": I32})
SECONDS = st.integers(-62_135_596_800, 253_402_300_799)
NANOS = st.integers(0, 999_999_999)
ONEOF = st.sampled_from([{"left": ""}, {"right": 0}, {"left": "x"}, {"middle": {}}, {}])
# An unset Value is printed as null, which reads as a set one; so it is always set here.
VALUES = st.fixed_dictionaries(
    {"any_value": st.sampled_from([{"null_value": 0}, {"bool_value": True}])},
    optional={
        "text": TEXT,
        "data": st.binary(max_size=9),
        "flag": st.booleans(),
        "i32": I32,
        "i64": I64,
        "u32": st.integers(0, 2**32 - 1),
        "u64": st.integers(0, 2**64 - 1),
        "single": SINGLES,
        "double": DOUBLES,
        "color": st.integers(0, 5),
        "inner": INNER,
        "maybe": TEXT,
        "maybe_number": I32,
        "maybe_inner": INNER,
        "texts": st.lists(TEXT, max_size=3),
        "numbers": st.lists(I32, max_size=3),
        "colors": st.lists(st.integers(0, 5), max_size=3),
        "inners": st.lists(INNER, max_size=3),
        "words": st.dictionaries(TEXT, TEXT, max_size=3),
        "by_flag": st.dictionaries(st.booleans(), st.integers(0, 2)),
        "longs": st.dictionaries(I64, I64, max_size=3),
        "at": st.fixed_dictionaries({"seconds": SECONDS, "nanos": NANOS}),
        "lasts": st.fixed_dictionaries({"seconds": st.integers(0, 10**11), "nanos": NANOS}),
        "wrapped": st.fixed_dictionaries({"value": TEXT}),
        "wrapped_double": st.fixed_dictionaries({"value": DOUBLES}),
        "shape": st.dictionaries(TEXT, st.none() | TEXT | st.booleans() | st.integers(0, 9)),
    },
)


@settings(max_examples=100, deadline=None)
@given(VALUES, ONEOF)
def test_a_message_that_is_printed_reads_back_the_same(
    values: dict[str, Any], oneof: dict[str, Any]
) -> None:
    message = everything(**values, **oneof)
    read, dropped = decoded(PRINTER.text(message), strict=True)
    assert read == message
    assert dropped == []


@settings(max_examples=40, deadline=None)
@given(VALUES, ONEOF)
def test_the_reference_reader_reads_what_is_printed(
    values: dict[str, Any], oneof: dict[str, Any]
) -> None:
    message = everything(**values, **oneof)
    # The reference reader loses the sign of minus zero.
    message.single += 0.0
    message.double += 0.0
    if message.HasField("wrapped_double"):
        message.wrapped_double.value += 0.0
    read = json_format.Parse(PRINTER.text(message), type(message)(), descriptor_pool=POOL)
    assert read == message
