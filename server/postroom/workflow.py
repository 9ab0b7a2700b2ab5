"""Workflow: the group of agents that work on one thing together."""

import unicodedata
from dataclasses import dataclass

ID_PREFIX = "wfl_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow. `number` is the store's own; callers see `id` and `key`."""

    number: int
    id: str
    key: str
    created_at: int


def normal_key(key: str) -> str:
    """A key as it is stored and compared, whole: NFC, so that one spelling has one form."""
    return unicodedata.normalize("NFC", key)
