"""The SQL of the hot path, written with ? for parameters."""

from collections.abc import Mapping
from typing import NamedTuple


class Rows(NamedTuple):
    """A statement that stores rows: run for each, or once on arrays of columns."""

    each: str
    arrays: str


def inserting(table: str, columns: Mapping[str, str], conflict: str = "") -> Rows:
    """Insert rows into columns, given with PostgreSQL's types: unnest turns arrays into rows."""
    into = f"INSERT INTO {table} ({', '.join(columns)})"
    arrays = ", ".join(f"?::{type}[]" for type in columns.values())
    return Rows(
        each=f"{into} VALUES ({', '.join('?' * len(columns))}) {conflict}",
        arrays=f"{into} SELECT * FROM unnest({arrays}) {conflict}",  # noqa: S608 - constants
    )


AGENT = """
SELECT a.number, a.id, a.name, a.workflow, COALESCE(w.id, ''), a.role, a.parent, p.id, a.state,
       a.program, a.model, a.task_description, a.created_at, a.proves, a.contact_policy,
       a.attachments_policy,
       b.received, b.sent, b.waiting, b.claimed_through, b.last_active_at
FROM agent a
JOIN mailbox b ON b.agent = a.number
LEFT JOIN workflow w ON w.number = a.workflow
LEFT JOIN agent p ON p.number = a.parent
"""

AGENT_BY_ID = AGENT + "WHERE a.id = ?"
LIVE_AGENTS_NAMED = AGENT + "WHERE a.name = ? AND a.state <> 3"

WORKFLOW = "SELECT number, id, key, created_at FROM workflow"

PARTIES = "SELECT sender, recipient FROM mail WHERE id = ?"

# `before` is always bound, so that one plan serves every page.
RECEIVED = """
SELECT received_number, wire, claimed_at, checksum FROM mail
WHERE recipient = ? AND received_number < ? AND expires_at > ?
ORDER BY received_number DESC LIMIT ?
"""

SENT = """
SELECT sent_number, wire, claimed_at, checksum FROM mail
WHERE sender = ? AND sent_number < ? AND expires_at > ?
ORDER BY sent_number DESC LIMIT ?
"""

ARRIVALS = """
SELECT received_number, wire, claimed_at, checksum FROM mail
WHERE recipient = ? AND received_number > ? AND expires_at > ?
ORDER BY received_number LIMIT ?
"""

# A hidden recipient is known to the sender and to itself; both look at their own mail.
_NOT_HIDDEN = """  AND NOT EXISTS (
    SELECT 1 FROM participant WHERE participant.mail_id = mail.id AND participant.part = 3)
ORDER BY"""

# The lists as others see them.
TO_OTHERS = {text: text.replace("ORDER BY", _NOT_HIDDEN) for text in (RECEIVED, SENT, ARRIVALS)}

RECEIVED_COUNTS = "SELECT agent, received FROM mailbox WHERE agent IN ({holes})"

TOKENS = """
SELECT t.number, t.key_id, t.secret_hash, t.agent, a.id, t.label, t.created_at, t.expires_at,
       t.revoked_at, t.last_used_at
FROM token t JOIN agent a ON a.number = t.agent
"""

TOKEN_BY_KEY_ID = TOKENS + "WHERE t.key_id = ?"

WAITING = """
SELECT received_number, wire, claimed_at, checksum FROM mail
WHERE recipient = ? AND received_number > ? AND claimed_at IS NULL AND expires_at > ?
ORDER BY received_number LIMIT ?
"""

COUNT_WAITING = """
SELECT recipient, kind, COUNT(*) FROM mail JOIN mailbox ON agent = recipient
WHERE recipient IN ({holes}) AND received_number > claimed_through
  AND claimed_at IS NULL AND expires_at > ?
GROUP BY recipient, kind
"""

EXCHANGED = "SELECT mails FROM exchange WHERE low = ? AND high = ?"

EXCHANGES_OF = """
SELECT low, high, mails FROM exchange
WHERE (low = ? AND high IN ({holes})) OR (high = ? AND low IN ({holes}))
"""

CLAIM = """
UPDATE mail SET claimed_at = ?
WHERE recipient = ? AND received_number > ? AND received_number <= ?
  AND claimed_at IS NULL AND expires_at > ?
"""

TOUCH = "UPDATE mailbox SET last_active_at = ? WHERE agent = ? AND last_active_at < ?"

ANSWER = """
SELECT digest, response FROM answer WHERE caller = ? AND method = ? AND request_id = ?
"""

COUNT_CAPPED = """
INSERT INTO settings (name, value) VALUES ('exchanges_capped', '1')
ON CONFLICT (name)
DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT)
"""

TOTALS = """
SELECT (SELECT COALESCE(SUM(waiting), 0) FROM mailbox),
       (SELECT value FROM settings WHERE name = 'exchanges_capped'),
       (SELECT COUNT(*) FROM outbox)
"""

KEEP_ANSWER = """
INSERT INTO answer (caller, method, request_id, digest, response, answered_at)
VALUES (?, ?, ?, ?, ?, ?)
"""

# Rows are made in the order of time, so the oldest are those with the lowest numbers.
SWEEP_MAIL = """
DELETE FROM mail WHERE number IN (
  SELECT number FROM (SELECT number, expires_at FROM mail ORDER BY number LIMIT 500) AS oldest
  WHERE expires_at < ?)
"""

SWEEP_ANSWERS = """
DELETE FROM answer WHERE (caller, method, request_id) IN (
  SELECT caller, method, request_id FROM answer WHERE answered_at < ? LIMIT 500)
"""

# Also tells the transaction's own id, to ask after it when the answer to a commit is
# lost. Both rows: an agent's state must not change either while its mailbox is locked.
LOCK = """
SELECT pg_current_xact_id()::text FROM mailbox b JOIN agent a ON a.number = b.agent
WHERE b.agent IN ({holes}) ORDER BY b.agent FOR NO KEY UPDATE
"""

TRANSACTION_STATUS = "SELECT pg_xact_status(?::xid8)"

KEEP_MAIL = inserting(
    "mail",
    {
        "id": "text",
        "recipient": "bigint",
        "received_number": "bigint",
        "sender": "bigint",
        "sent_number": "bigint",
        "kind": "smallint",
        "created_at": "bigint",
        "expires_at": "bigint",
        "checksum": "bigint",
        "wire": "bytea",
    },
)

SET_MAILBOX = Rows(
    each="""
UPDATE mailbox SET received = ?, sent = ?, waiting = ?, claimed_through = ?, last_active_at = ?
WHERE agent = ?
""",
    arrays="""
UPDATE mailbox SET received = new.received, sent = new.sent, waiting = new.waiting,
                   claimed_through = new.claimed_through, last_active_at = new.last_active_at
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
     AS new (received, sent, waiting, claimed_through, last_active_at, agent)
WHERE mailbox.agent = new.agent
""",
)

SET_EXCHANGE = inserting(
    "exchange",
    {"low": "bigint", "high": "bigint", "mails": "bigint"},
    "ON CONFLICT (low, high) DO UPDATE SET mails = excluded.mails",
)

EXCHANGES = """
SELECT low, high, mails FROM exchange
WHERE (low, high) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[]))
"""

# Somebody else's lock is not waited for: who holds it moves the time as well.
TOUCH_UNLOCKED = """
UPDATE mailbox SET last_active_at = ? WHERE agent IN (
  SELECT agent FROM mailbox WHERE agent = ? AND last_active_at < ? FOR UPDATE SKIP LOCKED)
"""

# SQLite's: a number that changes when another connection has committed.
DATA_VERSION = "PRAGMA data_version"

# A write that changes nothing: only a write shows that the database takes writes.
CHECK = "UPDATE settings SET value = value WHERE name = 'schema_version'"

# Columns as reads.py takes them, the hash last.
READS = """
SELECT m.number, m.id, m.reader, r.id, m.owner, o.id, m.read_at, m.method, m.direction, m.event,
       m.reason, m.attempts, m.proof, m.key_id, m.surface, m.peer, m.request_id, m.mails,
       m.first_mail_id, m.last_mail_id, m.hash
FROM mailbox_read m
JOIN agent r ON r.number = m.reader
JOIN agent o ON o.number = m.owner
"""

READS_AFTER = READS + "WHERE m.number > ? ORDER BY m.number LIMIT ?"
READS_OF = READS + "WHERE m.owner = ? AND m.number < ? ORDER BY m.number DESC LIMIT ?"

# Locks the row until the commit: who comes later waits, and then sees the newest head.
TAKE_CHAIN = "UPDATE mailbox_read_chain SET reads = reads + ? RETURNING head"
SET_CHAIN = "UPDATE mailbox_read_chain SET head = ?"
CHAIN = "SELECT reads, head FROM mailbox_read_chain"

LINK_READS = Rows(
    each="UPDATE mailbox_read SET hash = ? WHERE number = ?",
    arrays="""
UPDATE mailbox_read SET hash = new.hash
FROM unnest(?::text[], ?::bigint[]) AS new (hash, number)
WHERE mailbox_read.number = new.number
""",
)
