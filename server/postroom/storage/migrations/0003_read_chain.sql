-- Records of foreign reads tell more, and each is linked to the one before. Servers of
-- the schema before this one can go on writing records, but not link them.
ALTER TABLE mailbox_read ADD COLUMN event SMALLINT NOT NULL DEFAULT 1;
ALTER TABLE mailbox_read ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox_read ADD COLUMN attempts BIGINT NOT NULL DEFAULT 1;
ALTER TABLE mailbox_read ADD COLUMN proof SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE mailbox_read ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox_read ADD COLUMN surface TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox_read ADD COLUMN peer TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox_read ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE mailbox_read ADD COLUMN mails BIGINT;
ALTER TABLE mailbox_read ADD COLUMN first_mail_id TEXT;
ALTER TABLE mailbox_read ADD COLUMN last_mail_id TEXT;
-- Of the record itself and the hash before it (postroom.chain), in hexadecimal.
ALTER TABLE mailbox_read ADD COLUMN hash TEXT NOT NULL DEFAULT '';

UPDATE mailbox_read SET event = 2 WHERE method = 'agent.v1.AgentService/WatchMail';

-- One row: how many records there are, and the hash of the last. Whoever adds a record
-- locks it until the commit, so that the order of numbers is that of the chain.
CREATE TABLE mailbox_read_chain (
  number {key},
  reads BIGINT NOT NULL,
  head TEXT NOT NULL
);

INSERT INTO mailbox_read_chain (reads, head)
VALUES (0, '0000000000000000000000000000000000000000000000000000000000000000');
