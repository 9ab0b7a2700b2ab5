"""Each method of the contract is a command, made from its descriptor."""

import re
from typing import Any

from google.protobuf.json_format import ParseDict

from postroom.cli.flags import Leaf, leaves
from postroom.rpc.contract import Contract

from .conftest import Postroom, unary
from .scripted import Scripted, sample


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


FILE = '{"filename": "t", "data": "aGk="}'
EXAMPLES = {"INTEGER": "7", "NUMBER": "0.5", "JSON": "{}", "BASE64": "aGk=", "FILE": FILE}


def given(leaf: Leaf) -> list[str]:
    kind = leaf.kind
    if kind.is_switch and not leaf.is_list:
        return [leaf.flag]
    return [leaf.flag, kind.choices[-1] if kind.choices else EXAMPLES.get(kind.metavar, "t")]


def test_listing_has_each_method_with_its_summary(contract: Contract, postroom: Postroom) -> None:
    listed = flat(postroom("rpc", "--help").out.decode())
    for spec in unary(contract):
        assert f"{spec.kebab_name} {flat(spec.summary)}" in listed


def test_help_is_the_comments_and_limits(contract: Contract, postroom: Postroom) -> None:
    for spec in unary(contract):
        shown = flat(postroom("rpc", spec.kebab_name, "--help").out.decode())
        assert flat(spec.doc) in shown
        for leaf in leaves(contract, spec):
            assert leaf.flag in shown
            assert flat(leaf.help) in shown


def test_required_and_limits_are_told(contract: Contract) -> None:
    for leaf in (leaf for spec in unary(contract) for leaf in leaves(contract, spec)):
        assert ("[required" in leaf.help) == (leaf.field.required and len(leaf.path) == 1)
        if leaf.field.max_characters:
            assert f"{leaf.field.max_characters:,} characters" in leaf.help
        if leaf.field.max_items:
            assert f"repeatable, at most {leaf.field.max_items}" in leaf.help


def test_every_flag_fills_its_field(
    contract: Contract, server: Scripted, postroom: Postroom
) -> None:
    for spec in unary(contract):
        server.asked.clear()
        server.answer(sample(spec.output))
        found = list(leaves(contract, spec))
        flags = [word for leaf in found for word in given(leaf)]
        assert postroom("rpc", spec.kebab_name, *flags).status == 0
        assert server.asked[0].path == f"/{spec.full_name}"
        sent = ParseDict(server.request, spec.request_class())
        for leaf in found:
            assert _at(sent, leaf)


def _at(message: Any, leaf: Leaf) -> Any:
    for field in leaf.path:
        message = getattr(message, field.name)
    return message


def test_required_fields_are_left_to_the_server(
    words: list[str], server: Scripted, postroom: Postroom
) -> None:
    assert postroom(*words).status == 0
    assert server.request == {}


def test_an_unknown_method_is_a_usage_error(postroom: Postroom) -> None:
    ended = postroom("rpc", "send-smoke")
    assert ended.status == 2
    assert ended.err.startswith("invalid_argument: No such command 'send-smoke'")
    assert ended.out == b""
