"""Other people with an account on this machine, who reach what listens on loopback."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Protocol

# Accounts of people begin here; below are those of services.
_FIRST_PERSON, _NOBODY = 1000, 65534
_NO_SHELLS = ("", "nologin", "false", "sync", "shutdown", "halt")
_MOST_NAMED = 3


class Account(Protocol):
    """An entry of the user database."""

    @property
    def pw_name(self) -> str: ...
    @property
    def pw_uid(self) -> int: ...
    @property
    def pw_shell(self) -> str: ...


def others(accounts: Iterable[Account], me: int) -> list[str]:
    """The names of those, but for me, who can log in."""
    found = {
        account.pw_name
        for account in accounts
        if account.pw_uid >= _FIRST_PERSON
        and account.pw_uid not in (me, _NOBODY)
        and PurePath(account.pw_shell).name not in _NO_SHELLS
    }
    return sorted(found)


def on_this_machine() -> list[str]:
    """The same of the accounts here; nobody where the system keeps no such list."""
    try:
        import os
        import pwd
    except ImportError:
        return []
    return others(pwd.getpwall(), os.geteuid())


def listed(names: list[str]) -> str:
    """The names for a sentence; of many the first."""
    more = len(names) - _MOST_NAMED
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
