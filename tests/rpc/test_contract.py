"""What the protos declare, as plain values."""

from importlib.resources import files

import pytest

from postroom.rpc.contract import MAX_REQUEST_BYTES, Binding, Resource, Spec, service_files
from tests.room import CONTRACT as REAL
from tests.rpc.scripted import contract

CONTRACT = contract()
STAMP, READ, WATCH = CONTRACT.specs
MAIL = [spec for spec in REAL.specs if spec.service == "agent.v1.AgentService"]


def test_a_method_has_its_names_in_every_style() -> None:
    assert STAMP.full_name == "post.Post/StampLetter"
    assert (STAMP.snake_name, STAMP.kebab_name) == ("stamp_letter", "stamp-letter")


def test_a_method_has_its_doc_and_a_summary() -> None:
    assert STAMP.doc == "Stamp one\nletter.\n\nThen it may travel."
    assert STAMP.summary == "Stamp one letter."
    assert READ.doc == READ.summary == ""


@pytest.mark.parametrize(
    ("spec", "reads_only", "is_idempotent", "streams"),
    [(STAMP, False, False, False), (READ, True, True, False), (WATCH, False, True, True)],
)
def test_a_method_tells_how_it_behaves(
    spec: Spec, reads_only: bool, is_idempotent: bool, streams: bool
) -> None:
    assert (spec.reads_only, spec.is_idempotent) == (reads_only, is_idempotent)
    assert (spec.streams_requests, spec.streams_responses) == (False, streams)


def test_a_method_has_its_roles_and_routes_in_order() -> None:
    assert STAMP.roles == ("reader", "writer")
    assert STAMP.bindings == (
        Binding("PUT", "/v1/{title}", "first", "count"),
        Binding("DELETE", "/v1/letters/{title}"),
        Binding("STAMP", "/v1/letters"),
    )
    assert (READ.roles, READ.bindings) == ((), ())


def test_a_field_has_its_rules() -> None:
    fields = {field.name: field for field in STAMP.fields}
    title, pages, count = fields["title"], fields["pages"], fields["count"]
    assert (title.required, title.max_characters, title.is_text) == (True, 5, True)
    assert title.doc == "What it is about."
    assert (pages.repeated, pages.max_items, pages.required) == (True, 2, False)
    assert (count.minimum, title.minimum) == (2, None)
    assert pages.message is not None
    assert [field.name for field in CONTRACT.fields(pages.message)] == ["text", "next", "number"]
    assert CONTRACT.fields(pages.message)[2].minimum == 0
    assert fields["color"].enum is not None
    assert STAMP.request_key == "key"
    assert STAMP.speakers == ("team", "writer")
    assert (fields["note"].max_bytes, fields["raw"].max_bytes, title.max_bytes) == (4, 3, 0)


def test_a_field_has_its_words_and_the_empty_one_where_it_may_be_unset() -> None:
    fields = {field.name: field for field in STAMP.fields}
    words = ("calm", "cross")
    assert fields["mood"].words == fields["moods"].words == fields["tone"].words == words
    assert fields["mood"].choices == ("", *words)
    assert fields["moods"].choices == fields["tone"].choices == words
    assert fields["title"].choices == ()


def test_a_method_says_how_much_it_takes_and_how_it_is_read() -> None:
    assert STAMP.max_request_bytes == 8 * 1024 * 1024
    assert READ.max_request_bytes == MAX_REQUEST_BYTES
    assert STAMP.resource == Resource("post://letters/{id}{?mood}", {"id": "title"})
    assert READ.resource is None
    assert (STAMP.tells_caller, READ.tells_caller) == (False, True)
    assert STAMP.spells_snake_case


def test_every_service_of_the_generated_code_is_read_and_no_name_stands_twice() -> None:
    services = {spec.service for spec in REAL.specs}
    generated = [f for f in files("agent.v1").iterdir() if f.name.endswith("_service_pb2.py")]
    assert len(services) == len(generated) == len(service_files())
    names = [spec.snake_name for spec in REAL.specs]
    assert len(set(names)) == len(names)


def test_requests_and_responses_are_made_from_the_descriptors() -> None:
    request = STAMP.request_class(title="x")
    assert STAMP.request_class.FromString(request.SerializeToString()) == request
    assert STAMP.response_class(count=3).count == 3  # type: ignore[attr-defined]


@pytest.fixture(params=REAL.specs, ids=lambda spec: spec.name)
def spec(request: pytest.FixtureRequest) -> Spec:
    """Each method that the post room declares."""
    found: Spec = request.param
    return found


def test_every_method_of_the_post_room_is_documented_with_its_fields(spec: Spec) -> None:
    assert spec.summary.endswith(".")
    assert all(field.doc.endswith(".") for field in spec.fields)


def test_every_method_of_the_post_room_keeps_its_default_route(spec: Spec) -> None:
    assert Binding("POST", f"/{spec.full_name}", "*") in spec.bindings


def _spec(name: str) -> Spec:
    return next(spec for spec in REAL.specs if spec.name == name)


def test_the_post_room_declares_which_methods_read_and_which_may_be_repeated() -> None:
    reading = {spec.name for spec in MAIL if spec.reads_only}
    listing = {"ListMail", "ListMailboxReads", "ListAgents", "ListWorkflows", "ListTokens"}
    assert reading == {*listing, "GetAgent", "WatchMail", "WaitForMail"}
    repeatable = {spec.name for spec in MAIL if spec.is_idempotent}
    assert repeatable - reading == {"SetAgentState", "ArchiveAgent", "RevokeToken"}
    keyed = {spec.name for spec in MAIL if spec.request_key == "request_id"}
    assert keyed == {"SendMail", "ReadMail"}


def test_the_mail_methods_are_offered_to_the_three_roles() -> None:
    offered = {spec.name: spec.roles for spec in MAIL if spec.roles}
    roles = ("implementer", "reviewer", "orchestrator")
    assert offered == dict.fromkeys(("SendMail", "ListMail", "ReadMail", "WaitForMail"), roles)


def test_the_limits_of_sending_are_declared_beside_the_fields() -> None:
    fields = {field.name: field for field in _spec("SendMail").fields}
    assert (fields["to"].required, fields["body"].required) == (True, True)
    assert fields["body"].max_characters == 10_000
    assert fields["request_id"].max_characters == 128
    pagination = next(f for f in _spec("ListMail").fields if f.name == "pagination").message
    assert pagination is not None
    limit, cursor = REAL.fields(pagination)
    assert (limit.minimum, cursor.max_characters) == (0, 2_048)
