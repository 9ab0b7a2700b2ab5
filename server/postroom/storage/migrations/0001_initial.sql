-- Words in braces are filled in for each database (migrate.py); now is the moment
-- of the migration.
-- Instants are microseconds since the epoch; state, kind and direction are the
-- numbers of agent.v1. Foreign keys are left off the tables of mail: they would
-- cost two look-ups a send, and agents are never deleted.

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE workflow (
  number {key},
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);

CREATE TABLE agent (
  number {key},
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  workflow BIGINT REFERENCES workflow (number),
  role TEXT NOT NULL,
  parent BIGINT REFERENCES agent (number),
  state SMALLINT NOT NULL,
  program TEXT NOT NULL,
  model TEXT NOT NULL,
  task_description TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX agent_live_name ON agent (workflow, folded_name) WHERE state <> 3;

CREATE INDEX agent_name ON agent (name) WHERE state <> 3;

CREATE INDEX agent_parent ON agent (parent, number);

-- One narrow row for each agent: it changes with each piece of mail.
CREATE TABLE mailbox (
  agent BIGINT NOT NULL PRIMARY KEY REFERENCES agent (number),
  received BIGINT NOT NULL DEFAULT 0,
  sent BIGINT NOT NULL DEFAULT 0,
  waiting BIGINT NOT NULL DEFAULT 0,
  claimed_through BIGINT NOT NULL DEFAULT 0,
  last_active_at BIGINT NOT NULL
) {without_rowid};

CREATE TABLE exchange (
  low BIGINT NOT NULL,
  high BIGINT NOT NULL,
  mails BIGINT NOT NULL,
  PRIMARY KEY (low, high)
) {without_rowid};

-- wire is the serialized agent.v1.Mail without claimed_at, and checksum its CRC-32:
-- the database's own checks do not find a changed byte inside a value. wire comes last,
-- so that the columns before it are read without it.
CREATE TABLE mail (
  number {key},
  id TEXT NOT NULL UNIQUE,
  recipient BIGINT NOT NULL,
  received_number BIGINT NOT NULL,
  sender BIGINT,
  sent_number BIGINT,
  kind SMALLINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  claimed_at BIGINT,
  checksum BIGINT NOT NULL,
  wire {bytes} NOT NULL
);

-- expires_at is in both indexes, so that expired mail is passed over unread.
CREATE INDEX mail_received ON mail (recipient, received_number, expires_at);

CREATE INDEX mail_sent ON mail (sender, sent_number, expires_at) WHERE sender IS NOT NULL;

CREATE TABLE mailbox_read (
  number {key},
  id TEXT NOT NULL UNIQUE,
  reader BIGINT NOT NULL REFERENCES agent (number),
  owner BIGINT NOT NULL REFERENCES agent (number),
  read_at BIGINT NOT NULL,
  method TEXT NOT NULL,
  direction SMALLINT NOT NULL
);

CREATE INDEX mailbox_read_owner ON mailbox_read (owner, number);

CREATE TABLE answer (
  caller BIGINT NOT NULL,
  method TEXT NOT NULL,
  request_id TEXT NOT NULL,
  digest {bytes} NOT NULL,
  response {bytes} NOT NULL,
  answered_at BIGINT NOT NULL,
  PRIMARY KEY (caller, method, request_id)
);

CREATE INDEX answer_age ON answer (answered_at);

-- What the archive has still to take, in order.
CREATE TABLE outbox (
  number {key},
  subject TEXT NOT NULL,
  payload {bytes} NOT NULL,
  created_at BIGINT NOT NULL
);

-- The person who runs the server: a mailbox like any other, in no workflow.
INSERT INTO agent (id, name, folded_name, role, state, program, model, task_description,
                   created_at)
VALUES ('operator', 'operator', 'operator', 'operator', 1, '', '', '', {now});

INSERT INTO mailbox (agent, last_active_at) SELECT number, {now} FROM agent;
