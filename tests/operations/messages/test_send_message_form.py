"""SendMessage: the form of a message, at its exact bounds."""

from functools import partial
from typing import Any

import pytest

from postroom.errors import Code
from tests.operations.messages.world import Project


@pytest.fixture
def pair(project: Project) -> Project:
    """A project with two agents."""
    project.agents("alfa", "bravo")
    return project


def fields_of(project: Project, *to: str, **fields: Any) -> list[str]:
    """The fields that are wrong with a message."""
    refusal = project.unsent("alfa", *(to or ("bravo",)), **fields)
    assert refusal.code is Code.INVALID_ARGUMENT
    return [violation.field for violation in refusal.violations]


@pytest.mark.parametrize("subject", ["x", "\N{SNOWMAN}" * 160, "  " + "x" * 160 + "\n", "a\u2028b"])
def test_a_subject_has_1_to_160_characters_once_it_is_trimmed(pair: Project, subject: str) -> None:
    assert pair.message("alfa", "bravo", subject=subject).subject == subject.strip()


@pytest.mark.parametrize("subject", ["", " \t\n", "x" * 161, "a\nb", "a\x1bb", "a\x7fb", "a\x85b"])
def test_another_subject_is_refused(pair: Project, subject: str) -> None:
    assert fields_of(pair, subject=subject) == ["subject"]


@pytest.mark.parametrize(
    "body", ["x", " ", "x" * 262_144, "\N{SNOWMAN}" * 87_381 + "x", "\r\n\t\x1b", "```\n" * 9]
)
def test_a_body_has_up_to_256_kib_of_utf_8_and_is_kept_byte_for_byte(
    pair: Project, body: str
) -> None:
    sent = pair.message("alfa", "bravo", body_md=body)
    assert sent.body_md == body
    assert [one.body_md for one in pair.inbox("bravo")] == [body]


@pytest.mark.parametrize("body", ["", "x" * 262_145, "\N{SNOWMAN}" * 87_382, "a\0b"])
def test_another_body_is_refused(pair: Project, body: str) -> None:
    assert fields_of(pair, body_md=body) == ["body_md"]


@pytest.mark.parametrize("field", ["topic", "thread_id"])
@pytest.mark.parametrize("tag", ["br-abc.1", "A", "0", "a" * 64, "9._-", "msg_1"])
def test_m24_a_topic_and_a_thread_may_have_dots(pair: Project, field: str, tag: str) -> None:
    assert getattr(pair.message("alfa", "bravo", **{field: tag}), field) == tag


@pytest.mark.parametrize("field", ["topic", "thread_id"])
@pytest.mark.parametrize(
    "tag", ["a" * 65, ".a", "-a", "_a", "a b", "a/b", "é", "a\n", "\u0661", " a"]
)
def test_another_topic_or_thread_is_refused(pair: Project, field: str, tag: str) -> None:
    assert fields_of(pair, **{field: tag}) == [field]


def test_importance_has_at_most_32_characters(pair: Project) -> None:
    assert fields_of(pair, importance="x" * 33) == ["importance"]
    assert pair.message("alfa", "bravo", importance=" ").importance == "normal"


def test_a_message_names_somebody_or_is_a_broadcast(pair: Project) -> None:
    call = partial(pair.call, "SendMessage", sender_name="alfa", subject="s", body_md="b")
    refusal = pair.refusal(call)
    assert [violation.field for violation in refusal.violations] == ["to"]
    assert "recipient" in refusal.message
    assert fields_of(pair, "bravo", broadcast=True) == ["to"]


def test_every_field_that_is_wrong_is_named(pair: Project) -> None:
    wrong = {"subject": " ", "body_md": "", "topic": "-", "thread_id": "/"}
    call = partial(pair.call, "SendMessage", sender_name="alfa", **wrong)
    refusal = pair.refusal(call)
    assert [violation.field for violation in refusal.violations] == ["subject", *[*wrong][1:], "to"]


@pytest.mark.parametrize("field", ["subject", "body_md"])
def test_a_message_with_a_token_of_ours_is_refused(pair: Project, field: str) -> None:
    token = pair.call("RegisterAgent", name="carol", issue_token=True).token
    refusal = pair.unsent("alfa", "bravo", **{field: f"use {token} for it"})
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "BODY_CONTAINS_CREDENTIAL")
    assert [violation.field for violation in refusal.violations] == [field]
    assert token not in refusal.message


def test_a_message_names_at_most_100_recipients(project: Project) -> None:
    project.agents("alfa", *(f"a{number}" for number in range(100)))
    names = [f"a{number}" for number in range(100)]
    sent = project.message("alfa", *names[:40], *names[:40], cc=names[40:70], bcc=names[69:])
    assert [len(part) for part in (sent.to, sent.cc, sent.bcc)] == [40, 30, 30]
    refusal = project.unsent("alfa", *names[:50], cc=[*names[50:], "nobody"])
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "TOO_MANY_RECIPIENTS")
    assert fields_of(project, *["a1"] * 101) == ["to"]
