"""S11 for messages: whatever stands in a subject, a body, a file name or a snippet stays there."""

from typing import Any

import pytest

from agent.v1 import message_pb2
from postroom.surfaces.tools.frame import BAR, framed
from postroom.surfaces.tools.letter import body_of, header, holds_letters
from postroom.surfaces.tools.spelling import SNAKE
from postroom.surfaces.tools.structured import of_response
from tests.room import CONTRACT

from .breakouts import BODIES
from .test_frame import ACTS_OR_HIDES, LOOKS_LIKE_A_MARK, LOOKS_LIKE_A_TAG, drawn

SPECS = {spec.name: spec for spec in CONTRACT.specs}
MESSAGE: Any = message_pb2.Message.DESCRIPTOR
BOUNDARY = "00" * 7 + "01"


def message(**fields: Any) -> Any:
    sender = {"from": fields.pop("sender", "alfa")}
    return message_pb2.Message(**({"id": "msg_1", "to": ["bravo"]} | sender | fields))


def shown(name: str, **fields: Any) -> list[str]:
    """The text form of an answer of this method."""
    spec = SPECS[name]
    value = of_response(spec.response_class(**fields), SNAKE)
    return framed(spec.snake_name, spec.output, value, drawn(BOUNDARY), SNAKE).split("\n")


def test_a_message_is_a_letter_and_so_is_what_holds_one_deep_inside() -> None:
    assert body_of(MESSAGE) == MESSAGE.fields_by_name["body_md"]
    assert holds_letters(SPECS["SendMessage"].output)
    for plain in (message_pb2.Contact, message_pb2.Thread, message_pb2.Attachment):
        assert not holds_letters(plain.DESCRIPTOR)


@pytest.mark.parametrize("text", BODIES, ids=range(len(BODIES)))
def test_a_message_in_a_delivery_stays_inside_its_frame(text: str) -> None:
    wicked = message(
        subject=text,
        body_md=text,
        snippet=text,
        topic=text,
        importance=text,
        cc=[text],
        sender=text,
        attachments=[message_pb2.Attachment(name=text, reason=text)],
    )
    delivery = message_pb2.Delivery(project=text, payload=wicked)
    skips = [message_pb2.BroadcastSkip(agent=text, reason=text)]
    lines = shown("SendMessage", deliveries=[delivery], count=1, broadcast_skipped=skips)
    marks = [line.split("]")[0] for line in lines if line.startswith("[")]
    assert marks == [
        f"[{BOUNDARY} {mark}"
        for mark in (
            "deliveries 1 of 1",
            "deliveries 1 payload 1 of 1",
            "deliveries 1 payload 1 attachments 1 of 1",
            "end of deliveries 1 payload 1",
            "broadcast_skipped 1 of 1",
        )
    ]
    for line in lines:
        assert len(line.splitlines()) == 1
        assert not LOOKS_LIKE_A_TAG.search(line)
        assert not LOOKS_LIKE_A_MARK.search(line.removeprefix(f"[{BOUNDARY}"))
        assert not ACTS_OR_HIDES.search(line)
        assert line.startswith((BAR, "[", "send_message: ", "Lines", "count"))


def test_the_header_says_what_there_is_to_say_of_a_message() -> None:
    told = of_response(
        message(
            subject="Plan for it",
            body_md="12345",
            importance="high",
            ack_required=True,
            cc=["carla", "dora"],
            thread_id="t-1",
            reply_to="msg_0",
            kind="cc",
        ),
        SNAKE,
    )
    assert header(MESSAGE, told, SNAKE) == (
        'msg_1 from agent:alfa · kind cc · 5 characters · subject "Plan for it" · importance '
        "high · to be acknowledged yes · to bravo · cc carla, dora · answers msg_0 · thread t-1"
    )


def test_nothing_is_said_of_a_body_that_was_not_asked_for() -> None:
    (line,) = [one for one in shown("FetchInbox", messages=[message()]) if "msg_1" in one]
    assert line.endswith("msg_1 from agent:alfa · to bravo")


def test_bytes_are_counted_in_the_text_and_given_in_the_structured_form() -> None:
    lines = shown("GetAttachment", data=b"x" * 300, media_type="image/webp", bytes=300)
    assert "data: 400 characters of base64, in the structured form" in lines
    assert max(map(len, lines)) < 100
