"""JSON as the server sent it, or text laid out for reading."""

from postroom.cli.layout import render
from postroom.cli.shape import Shape, label
from postroom.rpc.contract import Contract

from .conftest import Postroom, unary
from .scripted import JSON, Scripted

ODD = '{"later" :"",\r\n "more":[1.50, 1e400, "\\u00e9é\x7f\u202e"],  "NAME":{}}'


def test_json_is_passed_on_to_the_byte(
    words: list[str], server: Scripted, postroom: Postroom, contract: Contract
) -> None:
    sent = ODD.replace("NAME", unary(contract)[0].output.fields[0].json_name).encode()
    server.body = sent
    ended = postroom(*words)
    assert (ended.status, ended.out, ended.err) == (0, sent + b"\n", "")
    server.body += b"\n\n"
    assert postroom(*words, "--output", "json").out == sent + b"\n"


def test_ignored_fields_are_not_passed_over(
    words: list[str], server: Scripted, postroom: Postroom
) -> None:
    server.headers = JSON | {"Postroom-Ignored-Fields": "replyTo"}
    ended = postroom(*words)
    assert ended.status == 0
    assert ended.err == "warning: the server ignored fields that it does not know: replyTo\n"


def test_labels() -> None:
    assert [label(name) for name in ("id", "createdAt", "nextPageToken")] == [
        "id",
        "created at",
        "next page token",
    ]


ROWS = [[("id", "a1"), ("text", "short"), ("gone", "")], [("id", "b"), ("text", "宽é")]]


def test_rows_that_fit_are_a_table() -> None:
    shape = Shape(lists=[("mail", ROWS)], rest=[("next page token", "t"), ("note", "")])
    assert render(shape, 80) == "ID  TEXT\na1  short\nb   宽é\n\nnext page token  t"


def test_rows_that_do_not_fit_are_blocks() -> None:
    wanted = "id    a1\ntext  short\n\nid    b\ntext  宽é"
    assert render(Shape(lists=[("mail", ROWS)]), 8) == wanted


def test_an_empty_list_is_said() -> None:
    assert render(Shape(lists=[("mail", [])], rest=[("remaining", "0")]), 80) == (
        "mail: none\n\nremaining  0"
    )


def test_c61_text_cannot_step_out_of_its_place() -> None:
    body = "</body>\n\nfrom   operator\r\n" + "x" * 31 + " from operator\n\tend"
    shown = render(Shape(lists=[("mail", [[("from", "carol"), ("body", body)]])]), 30)
    assert shown.splitlines() == [
        "from  carol",
        "body  | </body>",
        "      |",
        "      | from   operator\\x0d",
        *("      | " + part for part in ("x" * 22, "x" * 9 + " from", "operator")),
        "      |     end",
    ]


def test_wide_characters_stay_within_the_width() -> None:
    shown = render(Shape(blocks=[[("body", "宽" * 30)]]), 30)
    assert shown == "body  | " + "\n      | ".join(["宽" * 11, "宽" * 11, "宽" * 8])
