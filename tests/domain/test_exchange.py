"""The exchange of a pair, and the mailbox of one agent."""

import pytest

from postroom import exchange, mailbox
from postroom.errors import Code, Quota
from tests.domain.people import OPERATOR, agent
from tests.room import refused

ALFA, BRAVO = agent(1, "alfa"), agent(2, "bravo")


@pytest.mark.parametrize(("mails", "spends"), [(0, False), (1, False), (2, True)])
def test_a_mail_below_the_limit_is_admitted_and_the_last_one_spends_it(
    mails: int, spends: bool
) -> None:
    assert exchange.admit(ALFA, BRAVO, mails, 3) is spends


@pytest.mark.parametrize("mails", [3, 4, 100])
def test_a_mail_at_or_beyond_the_limit_is_refused_for_good(mails: int) -> None:
    refusal = refused(lambda: exchange.admit(ALFA, BRAVO, mails, 3))
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "EXCHANGE_CAPPED")
    assert refusal.quota == Quota("pair:agt_1,agt_2", refusal.message)
    assert refusal.retry_after is None


def test_only_the_operators_exchanges_have_no_limit() -> None:
    assert exchange.is_limited(ALFA, BRAVO)
    assert not exchange.is_limited(ALFA, OPERATOR)
    assert not exchange.is_limited(OPERATOR, ALFA)


def test_the_notice_names_the_other_and_the_limit() -> None:
    text = exchange.capped_notice(BRAVO, 7)
    for part in ("bravo", "agt_2", "7"):
        assert part in text
    assert "alfa" not in text


def test_a_full_mailbox_tells_whose_it_is_and_what_it_holds() -> None:
    refusal = mailbox.full("agt_1", 200)
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "MAILBOX_FULL")
    assert refusal.quota == Quota("agent:agt_1", refusal.message)
    assert refusal.metadata == {"limit": "200"}
    assert refusal.retry_after is None
