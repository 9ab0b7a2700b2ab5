"""SendMail."""

import pytest

from postroom.errors import Code
from tests.room import Room, refused


def test_a_mail_reaches_the_mailbox_of_the_agent_that_its_address_names(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    by_name = room.send(alfa.id, "bravo", "by name")
    by_id = room.send(alfa.id, bravo.id, "by id")
    assert by_name.to_agent_id == by_id.to_agent_id == bravo.id
    assert [mail.body for mail in room.received(bravo.id)] == ["by id", "by name"]


@pytest.mark.parametrize("address", ["agt_00000000000000000000000000", "bravo ", "Bravo", "nobody"])
def test_an_address_that_nobody_answers_to_is_not_found_and_stores_nothing(
    room: Room, address: str
) -> None:
    alfa, _ = room.agent("alfa"), room.agent("bravo")
    refusal = refused(lambda: room.send(alfa.id, address))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    assert not room.received(alfa.id, direction="MAIL_DIRECTION_SENT")
