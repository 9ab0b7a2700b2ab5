"""Full text: FTS5 and tsvector, both given words that are ready (postroom.words).

A message can be found by its participants alone, so each of them is indexed with it: the
database passes over other people's messages without looking at them.
"""

from collections import defaultdict
from collections.abc import Sequence

from postroom.message import Message
from postroom.storage.database import Connection, Dialect
from postroom.words import Term, words

# PostgreSQL keeps at most 1 MiB of one text's different words, with their places.
_MOST_WORDS_BYTES = 400_000

_FIND_FTS5 = """
SELECT rowid FROM message_words WHERE message_words MATCH ? AND rowid < ?
ORDER BY rowid DESC LIMIT ?
"""
_FIND_TSVECTOR = """
SELECT number FROM message_words WHERE words @@ ?::tsquery AND number < ?
ORDER BY number DESC LIMIT ?
"""
_ADD_FTS5 = "INSERT INTO message_words (rowid, words, participants) VALUES (?, ?, ?)"
_ADD_TSVECTOR = "INSERT INTO message_words (number, words) VALUES (?, ?::tsvector)"


def add_words(connection: Connection, number: int, message: Message) -> None:
    """Index a message."""
    found = _bounded(words(f"{message.subject}\n{message.body_md}"))
    agents = [one.agent for one in message.participants]
    if connection.dialect.has_tsvector:
        connection.run(_ADD_TSVECTOR, (number, _tsvector(found, agents)))
    else:
        people = " ".join(f"p{agent}" for agent in agents)
        connection.run(_ADD_FTS5, (number, " ".join(found), people))


def match(dialect: Dialect, agent: int, terms: Sequence[Term]) -> tuple[str, str]:
    """The statement that finds an agent's messages with all terms, and its query."""
    # Twice the same adds nothing.
    wanted = list(dict.fromkeys(terms))
    if dialect.has_tsvector:
        return _FIND_TSVECTOR, " & ".join([f"'@{agent}'", *map(_tsquery, wanted)])
    return _FIND_FTS5, " AND ".join([f'participants : "p{agent}"', *map(_fts5, wanted)])


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
    last = len(term.words) - 1
    ends = ":*" if term.is_prefix else ""
    parts = [f"'{word}'{ends if i == last else ''}" for i, word in enumerate(term.words)]
    return f"({' <-> '.join(parts)})"


def _tsvector(found: Sequence[str], agents: Sequence[int]) -> str:
    places: dict[str, list[str]] = defaultdict(list)
    for place, word in enumerate(found, 1):
        places[word].append(str(place))
    indexed = [f"'{word}':{','.join(at)}" for word, at in places.items()]
    return " ".join([*(f"'@{agent}'" for agent in agents), *indexed])
