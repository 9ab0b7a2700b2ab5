"""What the comparison with the real grpc-gateway has brought to light."""

import json
from pathlib import Path

import pytest
from google.protobuf import text_format

from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.http import ask
from tests.surfaces.gateway.kinds import POOL, door, everything, printed, sent

ROOT = Path(__file__).parents[3]
ROWS = json.loads((ROOT / "tests/interop/gateway/deviations.json").read_text())


def test_the_docs_list_the_deviations_that_the_comparison_knows() -> None:
    _, _, part = (ROOT / "docs/json.md").read_text().partition("| case or topic | here | why |\n")
    _, *lines = part.partition("\n\n")[0].splitlines()
    assert lines == [f"| {row['topic']} | {row['here']} | {row['why']} |" for row in ROWS]


def test_every_deviation_that_requests_show_has_its_row() -> None:
    from tests.interop.gateway.explain import EXPLAINED

    assert {row["name"] for row in ROWS} >= EXPLAINED


def test_the_host_is_no_permanent_header() -> None:
    behind = door()
    ask(Gateway(behind), "GET", "/q", [("Accept", "x")])
    names = {name for name, _ in behind.asked[0].incoming.metadata}
    assert names == {"grpcgateway-accept", "x-forwarded-for", "x-forwarded-host"}


def test_blanks_around_a_header_do_not_count() -> None:
    assert sent("GET", "/q", "", Grpc_Metadata_X_Bin=" QUJD \t")[0].status == 200


@pytest.mark.parametrize("value", ["QQ=", "Q=", "QUJDQQ="])
def test_base64_in_metadata_is_padded_whole_or_not_at_all(value: str) -> None:
    assert sent("GET", "/q", "", Grpc_Metadata_X_Bin=value)[0].status == 400


def test_a_bad_deadline_is_told_before_bad_metadata() -> None:
    answer, _ = sent("GET", "/q", "", Grpc_Metadata_X_Bin="!", Grpc_Timeout="x")
    assert answer.json["message"] == "invalid grpc-timeout: x"


@pytest.mark.parametrize("path", ["/watch", "/q"])
def test_no_call_begins_without_time(path: str) -> None:
    answer, request = sent("GET", path, "", Grpc_Timeout="-1S")
    assert (answer.status, answer.json["code"], request) == (504, 4, None)


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/field/text?a;b", '"cut', "unexpected EOF"),
        ("/path/left/x?%zz", "{]", "the body is not JSON"),
    ],
)
def test_the_body_is_told_before_the_query(path: str, body: str, told: str) -> None:
    assert sent("POST", path, body)[0].json["message"].startswith(told)


def test_the_path_is_told_before_the_query() -> None:
    answer, _ = sent("GET", "/path/i32/x?%zz")
    assert answer.json["message"].startswith("type mismatch, parameter: i32, error: ")


def test_brackets_around_a_line_break_are_no_map_key() -> None:
    assert sent("GET", "/q?words[%0a]=x&flag=1")[1] == everything(flag=True)


def test_line_breaks_in_base64_do_not_count() -> None:
    assert sent("GET", "/q?data=QU%0AJD%0D%0A")[1] == everything(data=b"ABC")


@pytest.mark.parametrize("text", ["0x_1p2", "0x1_0p-2", "4", "1_0e-1"])
def test_floats_may_have_underscores(text: str) -> None:
    request = sent("GET", f"/q?double={text}")[1]
    assert request is not None
    assert request.double in (4.0, 1.0)


@pytest.mark.parametrize(
    ("field", "body", "told"),
    [
        ("i64", "1e", None),
        ("i64", "1.", None),
        ("double", "1e2e3", "double: 100"),
        ("maybe", "", 'maybe: ""'),
        ("maybe", "null", ""),
        ("words", '{"a":null}', 'words { key: "a" value: "" }'),
        ("longs", '{"4":null}', "longs { key: 4 value: 0 }"),
        ("numbers", "[1,null]", "numbers: 1 numbers: 0"),
        ("color", "1.5", "color: RED"),
        ("color", "null", None),
        ("color", "1e10", None),
        ("data", '"-_8="', None),
        ("data", "[65,66]", 'data: "AB"'),
        ("data", "[256]", None),
    ],
)
def test_whole_bodies_are_read_as_plain_json(field: str, body: str, told: str | None) -> None:
    answer, request = sent("POST", f"/field/{field}", body)
    if told is None:
        assert (answer.status, request) == (400, None)
    else:
        assert request == text_format.Parse(told, everything(), descriptor_pool=POOL)


def test_an_empty_patch_has_an_empty_mask() -> None:
    request = sent("PATCH", "/patch/a", "")[1]
    assert request is not None
    assert request.HasField("update_mask")
    assert list(request.update_mask.paths) == []


def test_quotes_around_a_time_in_a_path_do_not_count() -> None:
    request = sent("GET", "/path/at/%222026-12-01T9:30:00Z%22")[1]
    assert request is not None
    assert request.at.seconds == 1_796_117_400


def test_where_the_path_binds_every_field_the_query_is_not_read() -> None:
    from tests.room import CONTRACT
    from tests.surfaces.gateway.doors import ScriptedDoor

    behind = ScriptedDoor(CONTRACT.specs)
    assert ask(Gateway(behind), "GET", "/v1/agents/a1?x=%zz&a;b").status == 200
    assert ask(Gateway(behind), "GET", "/v1/agents/a1/mail?x=%zz").status == 400


def test_a_bare_verb_is_another_method_s_segment() -> None:
    from tests.room import CONTRACT
    from tests.surfaces.gateway.doors import ScriptedDoor

    app = Gateway(ScriptedDoor(CONTRACT.specs))
    assert ask(app, "DELETE", "/v1/agents/:setState").status == 501
    assert ask(app, "POST", "/v1/agents/:setState").status == 404


def test_an_empty_message_in_an_any_has_no_value() -> None:
    held = {"type_url": "type.googleapis.com/google.protobuf.Empty"}
    assert printed(everything(any=held))["any"] == {"@type": held["type_url"]}


def test_a_stream_of_raw_content_has_the_type_of_its_first_message() -> None:
    from google.api.httpbody_pb2 import HttpBody

    behind = door(HttpBody(content_type="text/csv", data=b"a,b"))
    assert ask(Gateway(behind, pool=POOL), "GET", "/raws").header("Content-Type") == ["text/csv"]


def test_a_string_cut_after_an_escape_is_cut_short() -> None:
    assert sent("POST", "/star", '{"text":"a\\u2028')[0].json["message"] == "unexpected EOF"
