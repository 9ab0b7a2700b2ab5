"""Where in a project's repository each file stands. Pure.

Every path is made of fixed words, a month, ids and agents' names; each part is checked, so
that no path leads elsewhere. Agents keep the folder of their name as it is spelled: names
that differ in case only may follow each other in a project, and since every file is named
by its id, they may share one folder where a file system ignores case.
"""

import re
from datetime import timedelta

from postroom.agent import NAME
from postroom.instant import EPOCH

PROJECT = "project.md"
MESSAGES, PIECES, AGENTS, PROFILES, ATTACHMENTS = (
    "messages",
    "mail",
    "agents",
    "profiles",
    "attachments",
)
INBOX, OUTBOX = "inbox", "outbox"
_ID = re.compile(r"[a-z]+_[0-9a-z]{1,64}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_EXTENSION = re.compile(r"[a-z0-9]{1,8}", re.ASCII)


class NoPath(Exception):
    """Something cannot be part of a path; it never came from the post room."""


def is_id(text: str) -> bool:
    """Whether it has the form of an id."""
    return bool(_ID.fullmatch(text))


def month(instant: int) -> str:
    """YYYY/MM, in UTC."""
    return (EPOCH + timedelta(microseconds=instant)).strftime("%Y/%m")


def dated(folder: str, instant: int, id: str) -> str:
    """A Markdown file named by its id, in the month's folder."""
    return f"{folder}/{month(instant)}/{_checked(_ID, id)}.md"


def box(agent_name: str, which: str) -> str:
    """The folder of an agent's inbox or outbox."""
    return f"{AGENTS}/{_checked(NAME, agent_name)}/{which}"


def profile(agent_id: str) -> str:
    """The file that tells who an agent is."""
    return f"{PROFILES}/{_checked(_ID, agent_id)}.md"


def attachment(sha256: str, media_type: str) -> str:
    """The file with an attachment's content."""
    extension = _checked(_EXTENSION, media_type.partition("/")[2])
    return f"{ATTACHMENTS}/{_checked(_SHA256, sha256)}.{extension}"


def _checked(form: re.Pattern[str], part: str) -> str:
    if not form.fullmatch(part):
        raise NoPath(f"{part!r} cannot stand in a path")
    return part
