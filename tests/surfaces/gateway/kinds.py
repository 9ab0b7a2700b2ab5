"""A proto with a field of every kind, and routes of every kind over it."""

import re
from typing import Any

from google.api.http_pb2 import HttpRule
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postroom.rpc.contract import read
from postroom.rpc.protojson import Printer, Reader, parse
from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask
from tests.surfaces.gateway.protos import method, pool_of

KNOWN = "google.protobuf."
ALL = (
    "string text=1; bytes data=2; bool flag=3; int32 i32=4; int64 i64=5; uint32 u32=6;"
    "uint64 u64=7; float single=8; double double=9; Color color=10; Inner inner=11;"
    "optional string maybe=12; optional int32 maybe_number=13; optional Inner maybe_inner=14;"
    "oneof:choice string left=15; oneof:choice int32 right=16; oneof:choice Inner middle=17;"
    "repeated string texts=18; repeated int32 numbers=19; repeated Color colors=20;"
    "repeated Inner inners=21; map<string, string> words=22; map<int32, Inner> by_number=23;"
    "map<bool, Color> by_flag=24; google.protobuf.Timestamp at=25;"
    "google.protobuf.Duration lasts=26; google.protobuf.FieldMask mask=27;"
    "google.protobuf.Struct shape=28; google.protobuf.Value any_value=29;"
    "google.protobuf.ListValue list=30; google.protobuf.Any any=31;"
    "google.protobuf.Empty empty=32; google.protobuf.NullValue nothing=33;"
    "google.protobuf.StringValue wrapped=34; google.protobuf.Int64Value wrapped_long=35;"
    "google.protobuf.BytesValue wrapped_data=36; google.protobuf.BoolValue wrapped_flag=37;"
    "repeated google.protobuf.Value values=38; map<string, google.protobuf.Value> named=39;"
    "sint32 s32=40; fixed64 f64=41; repeated bytes blobs=42; map<int64, int64> longs=43;"
    "repeated google.protobuf.Timestamp times=44; google.protobuf.DoubleValue wrapped_double=45"
)
MESSAGES = {
    "Inner": "string text=1; int32 number=2; Inner inner=3; repeated Inner inners=4",
    "All": ALL,
    "Patch": "string id=1; All thing=2; google.protobuf.FieldMask update_mask=3",
}
ENUMS = {"Color": ["COLOR_UNSPECIFIED=0", "RED=1", "BLUE=2"]}
IN_PATHS = tuple(
    re.findall(
        r"\S+",
        "i32 u64 flag double data color at lasts wrapped wrapped_long numbers texts maybe left"
        " inner.number inner.inner.text middle.text single",
    )
)
AS_BODIES = tuple(
    re.findall(
        r"\S+",
        "inner text i64 color data numbers inners words by_number inner.inner at flag double maybe"
        " middle longs",
    )
)
AS_ANSWERS = tuple(
    re.findall(r"\w+", "inner i64 data maybe texts color at words longs text double colors")
)
METHODS = (
    method("Query", ".test.All", ".test.All", HttpRule(get="/q"), HttpRule(get="/q/{text}")),
    method("Star", ".test.All", ".test.All", HttpRule(post="/star", body="*")),
    method(
        "Path",
        ".test.All",
        ".test.All",
        *(HttpRule(get=f"/path/{field}/{{{field}}}") for field in IN_PATHS),
        HttpRule(post="/path/left/{left}", body="*"),
    ),
    method(
        "Field",
        ".test.All",
        ".test.All",
        *(HttpRule(post=f"/field/{field}", body=field) for field in AS_BODIES),
    ),
    method("Patch", ".test.Patch", ".test.All", HttpRule(patch="/patch/{id}", body="thing")),
    method(
        "Answer",
        ".test.All",
        ".test.All",
        *(HttpRule(get=f"/answer/{field}", response_body=field) for field in AS_ANSWERS),
    ),
    method("Raw", ".test.All", ".google.api.HttpBody", HttpRule(get="/raw")),
    method("Watch", ".test.All", ".test.All", HttpRule(get="/watch"), streams=True),
    method("WatchRaw", ".test.All", ".google.api.HttpBody", HttpRule(get="/raws"), streams=True),
)
POOL = pool_of("test", MESSAGES, ENUMS, METHODS)
CONTRACT = read(["test.proto"], POOL, {})
PRINTER, READER = Printer(POOL), Reader(POOL)


def new(name: str, **values: Any) -> Any:
    """Make a message of the test pool."""
    return GetMessageClass(POOL.FindMessageTypeByName(name))(**values)


def everything(**values: Any) -> Any:
    """Make a message with a field of every kind."""
    return new("test.All", **values)


def decoded(text: str, name: str = "test.All", *, strict: bool = False) -> tuple[Any, list[str]]:
    """Read JSON; return the message and what was dropped."""
    message = new(name)
    return message, READER.read(parse(text), message, strict=strict)


def printed(message: Message) -> Any:
    """Return the message as parsed JSON."""
    return PRINTER.plain(message)


def door(*messages: Message, **script: Any) -> ScriptedDoor:
    """Make a door for the routes over the kinds."""
    return ScriptedDoor(CONTRACT.specs, messages, **script)


def sent(method: str, path: str, body: str | bytes = "", **headers: str) -> tuple[Answer, Any]:
    """Ask once; return the answer and the request that reached the door, None if none did."""
    given = [(name.replace("_", "-"), value) for name, value in headers.items()]
    behind = door()
    answer = ask(Gateway(behind, pool=POOL), method, path, given, body)
    return answer, behind.asked[0].request if behind.asked else None
