-- Messages: what was written once; each recipient's copy is a row of mail.
ALTER TABLE agent ADD COLUMN contact_policy TEXT NOT NULL DEFAULT 'auto';

ALTER TABLE agent ADD COLUMN attachments_policy TEXT NOT NULL DEFAULT 'auto';

-- A key may be longer than an entry of an index in order may be.
{long_keys};

-- checksum is the CRC-32 of subject and body_md, for the reason that mail has one.
CREATE TABLE message (
  number {key},
  id TEXT NOT NULL UNIQUE,
  workflow BIGINT NOT NULL,
  thread_id TEXT NOT NULL,
  reply_to TEXT,
  importance TEXT NOT NULL,
  ack_required SMALLINT NOT NULL,
  topic TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  checksum BIGINT NOT NULL,
  subject TEXT NOT NULL,
  body_md TEXT NOT NULL
);

CREATE INDEX message_thread ON message (workflow, thread_id, number);

CREATE INDEX message_topic ON message (workflow, topic, number) WHERE topic <> '';

-- part is 0 for the sender, 1 to, 2 cc, 3 bcc. read_at is kept here only for a copy that
-- was deleted, or had expired when it was marked: else it is the claimed_at of the mail.
CREATE TABLE participant (
  message BIGINT NOT NULL,
  agent BIGINT NOT NULL,
  part SMALLINT NOT NULL,
  position SMALLINT NOT NULL,
  mail_id TEXT,
  received_number BIGINT,
  read_at BIGINT,
  acknowledged_at BIGINT,
  PRIMARY KEY (message, agent)
) {without_rowid};

CREATE INDEX participant_inbox ON participant (agent, received_number)
  WHERE received_number IS NOT NULL;

CREATE INDEX participant_mail ON participant (mail_id) WHERE mail_id IS NOT NULL;

-- For each agent the threads that it takes part in, so that a list of them counts nothing.
CREATE TABLE thread (
  agent BIGINT NOT NULL,
  workflow BIGINT NOT NULL,
  thread_id TEXT NOT NULL,
  messages BIGINT NOT NULL,
  first BIGINT NOT NULL,
  last BIGINT NOT NULL,
  PRIMARY KEY (agent, workflow, thread_id)
) {without_rowid};

CREATE INDEX thread_last ON thread (agent, workflow, last);

-- Who has ever sent a message to whom.
CREATE TABLE correspondence (
  sender BIGINT NOT NULL,
  recipient BIGINT NOT NULL,
  PRIMARY KEY (sender, recipient)
) {without_rowid};

{words_table};

CREATE TABLE file (
  workflow BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  media_type TEXT NOT NULL,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  data {bytes} NOT NULL,
  PRIMARY KEY (workflow, sha256)
);

CREATE TABLE attachment (
  message BIGINT NOT NULL,
  position SMALLINT NOT NULL,
  name TEXT NOT NULL,
  mode TEXT NOT NULL,
  media_type TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (message, position)
) {without_rowid};

CREATE INDEX attachment_sha256 ON attachment (sha256) WHERE sha256 <> '';

-- What an agent has sent in attachments, for the daily quota.
CREATE TABLE upload (
  number {key},
  agent BIGINT NOT NULL,
  at BIGINT NOT NULL,
  bytes BIGINT NOT NULL
);

CREATE INDEX upload_agent ON upload (agent, at);

CREATE TABLE contact (
  number {key},
  requester BIGINT NOT NULL REFERENCES agent (number),
  target BIGINT NOT NULL REFERENCES agent (number),
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT,
  notice TEXT,
  noticed_until BIGINT,
  UNIQUE (requester, target)
);

CREATE INDEX contact_target ON contact (target, number);

-- The payload of an entry is the id of the message or the mail to take, its subject the
-- project's id.
