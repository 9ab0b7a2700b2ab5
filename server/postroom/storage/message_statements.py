"""The SQL of messages, written with ? for parameters."""

from postroom.storage.statements import inserting

_COLUMNS = """
SELECT m.number, m.id, m.workflow, w.key, m.thread_id, m.reply_to, m.subject, m.body_md,
       m.importance, m.ack_required, m.topic, m.created_at, m.checksum
"""

MESSAGE = f"{_COLUMNS} FROM message m JOIN workflow w ON w.number = m.workflow"

# The plus keeps SQLite from walking through the whole project, which it has an index of.
OF_PROJECT = f"""{MESSAGE}
WHERE +m.workflow = ? AND m.number > ? ORDER BY m.number LIMIT ?
"""

FOUND = f"""{MESSAGE}
WHERE m.number IN ({{holes}}) AND +m.workflow = ? ORDER BY m.number DESC
"""

INBOX = f"""{_COLUMNS}
FROM participant p
JOIN mail ON mail.id = p.mail_id
JOIN message m ON m.number = p.message
JOIN workflow w ON w.number = m.workflow
WHERE p.agent = ? AND p.received_number < ? AND mail.expires_at > ?
"""

_TAKES_PART = f"{MESSAGE} JOIN participant p ON p.message = m.number AND p.agent = ?"

OF_TOPIC = f"""{_TAKES_PART}
WHERE m.workflow = ? AND m.topic = ? AND m.topic <> '' AND m.number < ?
ORDER BY m.number DESC LIMIT ?
"""

OF_THREAD = f"""{_TAKES_PART}
WHERE m.workflow = ? AND m.thread_id = ? AND m.number < ?
ORDER BY m.number DESC LIMIT ?
"""

IN_THREAD = f"""{MESSAGE}
WHERE m.workflow = ? AND m.thread_id = ? AND m.number < ?
ORDER BY m.number DESC LIMIT ?
"""

PARTICIPANTS = """
SELECT p.message, p.agent, a.id, a.name, p.part, p.mail_id, p.received_number,
       COALESCE(mail.claimed_at, p.read_at), p.acknowledged_at
FROM participant p
JOIN agent a ON a.number = p.agent
LEFT JOIN mail ON mail.id = p.mail_id {own}
WHERE p.message IN ({holes})
ORDER BY p.message, p.part, p.position
"""

ATTACHMENTS = """
SELECT message, name, mode, media_type, path, sha256, bytes, width, height, reason
FROM attachment WHERE message IN ({holes}) ORDER BY message, position
"""

# Mail is looked for only where there is an exchange, as most pairs have none.
WRITERS_TO = """
SELECT a.number FROM agent a
WHERE a.number IN ({holes}) AND (
  EXISTS (SELECT 1 FROM correspondence WHERE sender = a.number AND recipient = ?)
  OR (EXISTS (
      SELECT 1 FROM exchange
      WHERE (low = a.number AND high = ?) OR (low = ? AND high = a.number))
    AND EXISTS (SELECT 1 FROM mail WHERE sender = a.number AND recipient = ?)))
"""

ADD_MESSAGE = """
INSERT INTO message (id, workflow, thread_id, reply_to, subject, body_md, importance, ack_required,
                     topic, created_at, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
"""

ADD_PARTICIPANTS = inserting(
    "participant",
    {
        "message": "bigint",
        "agent": "bigint",
        "part": "smallint",
        "position": "smallint",
        "mail_id": "text",
        "received_number": "bigint",
        "read_at": "bigint",
        "acknowledged_at": "bigint",
    },
)

WRITE_TO = inserting(
    "correspondence", {"sender": "bigint", "recipient": "bigint"}, "ON CONFLICT DO NOTHING"
)

ADD_TO_THREAD = inserting(
    "thread",
    {
        "agent": "bigint",
        "workflow": "bigint",
        "thread_id": "text",
        "messages": "bigint",
        "first": "bigint",
        "last": "bigint",
    },
    "ON CONFLICT (agent, workflow, thread_id) "
    "DO UPDATE SET messages = thread.messages + 1, last = excluded.last",
)

THREADS = """
SELECT t.thread_id, first.subject, t.messages, first.created_at, last.created_at, t.last
FROM thread t
JOIN message first ON first.number = t.first
JOIN message last ON last.number = t.last
WHERE t.agent = ? AND t.workflow = ? AND t.last < ?
ORDER BY t.last DESC LIMIT ?
"""

# Hidden recipients are known to the sender and to themselves.
THREAD_PARTICIPANTS = """
SELECT DISTINCT m.thread_id, a.name FROM message m
JOIN participant own ON own.message = m.number AND own.agent = ?
JOIN participant p ON p.message = m.number
JOIN agent a ON a.number = p.agent
WHERE m.workflow = ? AND m.thread_id IN ({holes})
  AND (p.part <> 3 OR own.part = 0 OR p.agent = own.agent)
"""

CLAIM_COPY = "UPDATE mail SET claimed_at = ? WHERE id = ? AND claimed_at IS NULL AND expires_at > ?"

MARK_READ = "UPDATE participant SET read_at = ? WHERE message = ? AND agent = ?"

ACKNOWLEDGE = "UPDATE participant SET acknowledged_at = ? WHERE message = ? AND agent = ?"

# Before mail is deleted: when its copy was read is still asked for.
KEEP_READ_AT = """
UPDATE participant SET read_at = (SELECT claimed_at FROM mail WHERE mail.id = participant.mail_id)
WHERE mail_id IN (
  SELECT id FROM (SELECT id, expires_at FROM mail ORDER BY number LIMIT 500) AS oldest
  WHERE expires_at < ?) AND read_at IS NULL
"""

# Likewise, who has written mail to whom.
KEEP_WRITTEN_TO = """
INSERT INTO correspondence (sender, recipient)
SELECT DISTINCT sender, recipient
FROM (SELECT sender, recipient, expires_at FROM mail ORDER BY number LIMIT 500) AS oldest
WHERE expires_at < ? AND sender IS NOT NULL
ON CONFLICT DO NOTHING
"""

CONTACT = """
SELECT c.number, c.requester, r.name, c.target, t.name, c.status, c.reason, c.updated_at,
       c.expires_at, c.notice, c.noticed_until
FROM contact c
JOIN agent r ON r.number = c.requester
JOIN agent t ON t.number = c.target
"""

APPROVED = """
SELECT requester, target FROM contact
WHERE status = 'approved' AND (expires_at IS NULL OR expires_at > ?)
  AND ((requester = ? AND target IN ({holes})) OR (target = ? AND requester IN ({holes})))
"""

KEEP_CONTACT = """
INSERT INTO contact (requester, target, status, reason, updated_at, expires_at, notice,
                     noticed_until)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (requester, target)
DO UPDATE SET status = excluded.status, reason = excluded.reason,
              updated_at = excluded.updated_at, expires_at = excluded.expires_at,
              notice = excluded.notice, noticed_until = excluded.noticed_until
"""

WITHDRAW = "UPDATE mail SET expires_at = ? WHERE id = ? AND expires_at > ?"

FILE = """
SELECT sha256, media_type, width, height, data FROM file WHERE workflow = ? AND sha256 = ?
"""

MAY_SEE_FILE = """
SELECT 1 FROM attachment x
JOIN message m ON m.number = x.message
JOIN participant p ON p.message = m.number AND p.agent = ?
WHERE x.sha256 = ? AND x.sha256 <> '' AND m.workflow = ?
LIMIT 1
"""

FILE_SENDER = """
SELECT a.id FROM attachment x
JOIN message m ON m.number = x.message
JOIN participant p ON p.message = m.number AND p.part = 0
JOIN agent a ON a.number = p.agent
WHERE x.sha256 = ? AND x.sha256 <> '' AND m.workflow = ?
LIMIT 1
"""

KEEP_FILE = """
INSERT INTO file (workflow, sha256, media_type, width, height, created_at, data)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""

SENT_BYTES = "SELECT COALESCE(SUM(bytes), 0) FROM upload WHERE agent = ? AND at > ?"

# Rows are made in the order of time.
SWEEP_UPLOADS = """
DELETE FROM upload WHERE number IN (
  SELECT number FROM (SELECT number, at FROM upload ORDER BY number LIMIT 500) AS oldest
  WHERE at < ?)
"""

OUTBOX = "SELECT number, subject, payload FROM outbox WHERE number > ? ORDER BY number LIMIT ?"

PIECE = "SELECT received_number, wire, claimed_at, checksum FROM mail WHERE id = ?"

PUT_OUT = "INSERT INTO outbox (subject, payload, created_at) VALUES (?, ?, ?)"

TAKEN = "DELETE FROM outbox WHERE number IN ({holes})"
