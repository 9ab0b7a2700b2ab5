-- Once an agent has had a token, its id alone is not believed any more.
ALTER TABLE agent ADD COLUMN proves SMALLINT NOT NULL DEFAULT 0;

CREATE TABLE token (
  number {key},
  key_id TEXT NOT NULL UNIQUE,
  secret_hash {bytes} NOT NULL,
  agent BIGINT NOT NULL REFERENCES agent (number),
  label TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT
);

CREATE INDEX token_agent ON token (agent, number);
