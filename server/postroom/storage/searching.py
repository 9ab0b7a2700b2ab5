"""Full text: FTS5 and tsvector, both given words that are ready (postroom.words).

A message can be found by its participants alone, so each of them is indexed with it: the
database passes over other people's messages without looking at them.

A tsvector knows the places of no word beyond the 16,383rd, and of none the 256th time, so
it is asked for words alone; words beside each other are looked for in the text.
"""

from collections.abc import Sequence

from postroom.message import Message
from postroom.storage.database import Connection, Dialect
from postroom.words import Term, words

# A tsvector holds at most 1 MiB of different words.
_MOST_WORDS_BYTES = 400_000

_FIND_FTS5 = """
SELECT rowid FROM message_words WHERE message_words MATCH ? AND rowid < ?
ORDER BY rowid DESC LIMIT ?
"""
_FIND_TSVECTOR = """
SELECT number FROM message_words WHERE words @@ ?::tsquery {phrases} AND number < ?
ORDER BY number DESC LIMIT ?
"""
_PHRASE = "AND position(?::text IN text) > 0"
_ADD_FTS5 = "INSERT INTO message_words (rowid, words, participants) VALUES (?, ?, ?)"
_ADD_TSVECTOR = "INSERT INTO message_words (number, words, text) VALUES (?, ?::tsvector, ?)"


def add_words(connection: Connection, number: int, message: Message) -> None:
    """Index a message."""
    found = _bounded(words(f"{message.subject}\n{message.body_md}"))
    agents = [one.agent for one in message.participants]
    if connection.dialect.has_tsvector:
        row = number, _tsvector(found, agents), f" {' '.join(found)} "
        connection.run(_ADD_TSVECTOR, row)
    else:
        people = " ".join(f"p{agent}" for agent in agents)
        connection.run(_ADD_FTS5, (number, " ".join(found), people))


def match(dialect: Dialect, agent: int, terms: Sequence[Term]) -> tuple[str, Sequence[str]]:
    """The statement that finds an agent's messages with all terms, and what it begins with.

    After that it takes the number that all are below, and how many to find.
    """
    # Twice the same adds nothing.
    wanted = list(dict.fromkeys(terms))
    if not dialect.has_tsvector:
        parts = [f'participants : "p{agent}"', *map(_fts5, wanted)]
        return _FIND_FTS5, [" AND ".join(parts)]
    query = " & ".join([f"'@{agent}'", *map(_tsquery, wanted)])
    phrases = [_phrase(term) for term in wanted if len(term.words) > 1]
    return _FIND_TSVECTOR.format(phrases=" ".join([_PHRASE] * len(phrases))), [query, *phrases]


def _bounded(found: list[str]) -> list[str]:
    room = _MOST_WORDS_BYTES
    for count, word in enumerate(found):
        room -= len(word.encode())
        if room < 0:
            return found[:count]
    return found


def _fts5(term: Term) -> str:
    return f'words : "{" ".join(term.words)}"' + (" *" if term.is_prefix else "")


def _tsquery(term: Term) -> str:
    *whole, last = term.words
    return " & ".join([*(f"'{word}'" for word in whole), f"'{last}'{':*' * term.is_prefix}"])


def _phrase(term: Term) -> str:
    return f" {' '.join(term.words)}{'' if term.is_prefix else ' '}"


def _tsvector(found: Sequence[str], agents: Sequence[int]) -> str:
    return " ".join([*(f"'@{agent}'" for agent in agents), *(f"'{word}'" for word in {*found})])
