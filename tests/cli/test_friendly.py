"""The short commands are thin: a method, and its fields under shorter names."""

from typing import Any

import pytest

from postroom.cli.flags import leaves
from postroom.cli.forms import COMMANDS, GROUPS
from postroom.rpc.contract import Contract

from .conftest import Postroom
from .message_lines import MESSAGE_LINES
from .scripted import Scripted, sample

FORMS = [
    *(([name], form) for name, form in COMMANDS.items()),
    *(([group, name], form) for group, forms in GROUPS.items() for name, form in forms.items()),
]


@pytest.mark.parametrize(("words", "form"), FORMS)
def test_each_form_names_what_the_contract_has(
    contract: Contract, postroom: Postroom, words: list[str], form: Any
) -> None:
    (spec,) = [spec for spec in contract.specs if spec.name == form.method]
    known = {leaf.name for leaf in leaves(contract, spec)}
    used = [*form.arguments, *form.options.values(), *form.fixed]
    assert known.issuperset([*used, *(path for path, _ in form.switches.values())])
    ended = postroom(*words, "--help")
    shown = ended.out.decode()
    assert ended.status == 0
    flags = (word for flag in form.options for word in flag.split("/"))
    for flag in (*flags, *form.switches, "--json", "--output", "--timeout"):
        assert flag in shown
    assert not form.arguments or " ".join(form.arguments).upper() in shown


LINES: dict[str, Any] = {
    **MESSAGE_LINES,
    "agent create b --workflow /w --parent a --role r --program p --model m --task t --dormant": {
        "name": "b",
        "workflow": "/w",
        "parentId": "a",
        "role": "r",
        "program": "p",
        "model": "m",
        "taskDescription": "t",
        "state": "AGENT_STATE_DORMANT",
    },
    "agent create bravo": {"name": "bravo"},
    "agent list --workflow w --state archived --limit 3 --cursor c": {
        "workflow": "w",
        "state": "AGENT_STATE_ARCHIVED",
        "pagination": {"limit": 3, "cursor": "c"},
    },
    "agent list": {},
    "agent show agt_1": {"id": "agt_1"},
    "agent archive agt_1": {"id": "agt_1"},
    "agent dormant agt_1": {"id": "agt_1", "state": "AGENT_STATE_DORMANT"},
    "agent resume agt_1": {"id": "agt_1", "state": "AGENT_STATE_RUNNING"},
    "workflow list": {},
    "send bravo hello": {"to": "bravo", "body": "hello"},
    "send bravo - --reply-to mail_1 --request-id r": {
        "to": "bravo",
        "body": "from stdin\n",
        "replyTo": "mail_1",
        "requestId": "r",
    },
    "send bravo @@all": {"to": "bravo", "body": "@all"},
    "list --id agt_1 --sent --limit 2": {
        "id": "agt_1",
        "direction": "MAIL_DIRECTION_SENT",
        "pagination": {"limit": 2},
    },
    "list": {},
    "read --limit 4": {"limit": 4},
}


@pytest.mark.parametrize(("line", "wanted"), LINES.items())
def test_the_request(
    contract: Contract, server: Scripted, postroom: Postroom, line: str, wanted: Any
) -> None:
    words = line.split()
    form = next(form for name, form in FORMS if name == words[: len(name)])
    (spec,) = [spec for spec in contract.specs if spec.name == form.method]
    server.answer(sample(spec.output))
    ended = postroom(*words, stdin=b"from stdin\n")
    assert (ended.status, ended.err) == (0, "")
    assert server.asked[0].path == f"/{spec.full_name}"
    assert server.request == wanted


def test_json_and_output(contract: Contract, server: Scripted, postroom: Postroom) -> None:
    (spec,) = [spec for spec in contract.specs if spec.name == COMMANDS["list"].method]
    server.answer(sample(spec.output))
    as_json = server.body + b"\n"
    assert postroom("list").out == as_json
    assert postroom("list", "--json").out == as_json
    assert postroom("list", "--output", "table").out == b"mail: none\n\nnext page token  text\n"
    assert postroom("list", "--output", "table", "--json").out == as_json


def test_an_answer_to_a_request_for_contact_must_be_said(
    server: Scripted, postroom: Postroom
) -> None:
    ended = postroom("contact", "respond", "--project", "/p", "--agent", "b", "--from", "a")
    assert ended.status == 2
    assert ended.err.startswith("invalid_argument: Missing option '--accept' or '--refuse'.")
    assert not server.asked
