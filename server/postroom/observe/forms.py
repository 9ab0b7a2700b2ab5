"""How a line of the log looks: JSON for programs, or text for a person at a terminal."""

import json
import logging
import re
import time
from functools import lru_cache

from postroom import token
from postroom.observe.sink import Fact, Line

# A longer fact is cut: a trace of a deep stack, or what another library says.
_LONGEST = 8_000
_HINTS = (f"{token.AGENT_PREFIX}_", f"{token.OPERATOR_PREFIX}_")
_PLAIN = re.compile(r"[A-Za-z0-9_.:/%+-]+", re.ASCII)
_quote = json.encoder.encode_basestring_ascii


def as_json(line: Line) -> str:
    """One object; whatever a text holds, it cannot end the line."""
    told = (
        f'{{"time":"{_instant(line.at)}","level":"{level_name(line.level)}",'
        f'"message":{_quote(_cut(line.text))}'
    )
    # Every call may have a line, so nothing here is done by a call where a word will do.
    for name, fact in line.facts.items():
        if not isinstance(fact, str):
            told += f',"{name}":{fact!r}'
        elif fact:
            told += f',"{name}":{_quote(fact if len(fact) <= _LONGEST else _cut(fact))}'
    return without_tokens(told + "}")


def as_text(line: Line) -> str:
    """The local time, the level, and the facts; a stack keeps its lines."""
    when = time.strftime("%H:%M:%S", time.localtime(line.at))
    facts = dict(line.facts)
    # Each line of it is marked, so that none can be taken for a line of the log.
    stack = [f"\n    | {_visible(each)}" for each in str(facts.pop("stack", "")).splitlines()]
    told = [f"{name}={_shown(fact)}" for name, fact in facts.items() if fact != ""]
    words = " ".join([_visible(_cut(line.text)), *told])
    return without_tokens(f"{when} {level_name(line.level):7} {words}{''.join(stack)}")


def without_tokens(text: str) -> str:
    """The text with the secret part of every token of ours taken out."""
    if any(hint in text for hint in _HINTS):
        return token.FORM.sub(r"\1_\2_…", text)
    return text


@lru_cache
def level_name(level: int) -> str:
    """Such as warning."""
    return logging.getLevelName(level).lower()


def _instant(at: float) -> str:
    """RFC 3339 in UTC, to the millisecond."""
    second = int(at)
    return f"{_second(second)}.{int((at - second) * 1000):03d}Z"


@lru_cache(maxsize=2)
def _second(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


def _cut(fact: str) -> str:
    return f"{fact[:_LONGEST]}…" if len(fact) > _LONGEST else fact


def _shown(fact: Fact) -> str:
    text = _cut(str(fact))
    return text if _PLAIN.fullmatch(text) else _quote(text)


def _visible(text: str) -> str:
    return _quote(text)[1:-1].replace('\\"', '"').replace("\\\\", "\\")
