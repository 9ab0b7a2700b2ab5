"""Exchange: all plain mail between one pair of agents, and its limit."""

from postroom.agent import Agent
from postroom.errors import QuotaSpent

DEFAULT_LIMIT = 100


def is_limited(one: Agent, other: Agent) -> bool:
    """Whether the pair's mail is counted: the operator's is not."""
    return not (one.is_operator or other.is_operator)


def admit(one: Agent, other: Agent, mails: int, limit: int) -> bool:
    """Admit one more mail to an exchange that holds `mails`.

    Returns whether this mail spends the limit. Raises QuotaSpent
    (EXCHANGE_CAPPED), which is final for the pair.
    """
    if mails >= limit:
        told = (
            f"you and {other.id} have exchanged the {limit} mails that one pair may, in both "
            "directions and for good; decide with what you have, or ask the operator"
        )
        raise QuotaSpent(told, "EXCHANGE_CAPPED", f"pair:{one.id},{other.id}", limit)
    return mails + 1 == limit


def capped_notice(other: Agent, limit: int) -> str:
    """The text of the notice that tells an agent that an exchange is spent."""
    return (
        f"You and {other.name} ({other.id}) have exchanged {limit} mails, which is the limit "
        "for one pair. Further mail between you two is refused."
    )
