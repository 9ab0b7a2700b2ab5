"""Messages written straight into SQLite's tables, for their mail is there already."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from postroom.message import Message
from postroom.storage.message_statements import ADD_TO_THREAD, PUT_OUT, WRITE_TO
from postroom.storage.messages import checksum
from postroom.words import words

_MESSAGE = """
INSERT INTO message (number, id, workflow, thread_id, importance, ack_required, topic, created_at,
                     checksum, subject, body_md)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PARTICIPANT = """
INSERT INTO participant (message, agent, part, position, mail_id, received_number)
VALUES (?, ?, ?, ?, ?, ?)
"""
_WORDS = "INSERT INTO message_words (rowid, words, participants) VALUES (?, ?, ?)"
Numbered = Sequence[tuple[int, Message]]


def write(file: Path, messages: Sequence[Message], archived_for: str) -> None:
    """Write messages without attachments, and what is left of them for the archive.

    `archived_for` is the project's id, empty where nothing is archived.
    """
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN IMMEDIATE")
    (last,) = connection.execute("SELECT COALESCE(MAX(number), 0) FROM message").fetchone()
    numbered = list(enumerate(messages, last + 1))
    connection.executemany(_MESSAGE, map(_row, numbered))
    _add_people(connection, numbered)
    connection.executemany(_WORDS, map(_words, numbered))
    if archived_for:
        left = ((archived_for, one.id.encode(), one.created_at) for one in messages)
        connection.executemany(PUT_OUT, left)
    connection.execute("COMMIT")
    connection.close()


def _add_people(connection: sqlite3.Connection, numbered: Numbered) -> None:
    each = [
        (number, message, position, one)
        for number, message in numbered
        for position, one in enumerate(message.participants)
    ]
    people = (
        (number, one.agent, int(one.part), position, one.mail_id, one.received_number)
        for number, _, position, one in each
    )
    threads = (
        (one.agent, m.workflow, m.thread_id, 1, number, number) for number, m, _, one in each
    )
    pairs = {(m.sender.agent, one.agent) for _, m in numbered for one in m.recipients}
    connection.executemany(_PARTICIPANT, people)
    connection.executemany(ADD_TO_THREAD.each, threads)
    connection.executemany(WRITE_TO.each, pairs)


def _row(numbered: tuple[int, Message]) -> tuple[int | str, ...]:
    number, one = numbered
    head = (number, one.id, one.workflow, one.thread_id, one.importance, int(one.ack_required))
    written = (checksum(one.subject, one.body_md), one.subject, one.body_md)
    return (*head, one.topic, one.created_at, *written)


def _words(numbered: tuple[int, Message]) -> tuple[int, str, str]:
    """As storage.searching indexes a message."""
    number, one = numbered
    found = " ".join(words(f"{one.subject}\n{one.body_md}"))
    return number, found, " ".join(f"p{each.agent}" for each in one.participants)
