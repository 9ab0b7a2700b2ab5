"""Tokens in the database."""

from collections.abc import Sequence
from dataclasses import replace

from postroom.storage import statements
from postroom.storage.database import Row
from postroom.storage.models import AgentRow, TokenRow
from postroom.storage.transaction import Transaction
from postroom.token import Token


class TokenQueries(Transaction):
    """The part of a session that deals with tokens."""

    def token(self, key_id: str) -> Token | None:
        """See ports.Session.token."""
        row = self.aside.one(statements.TOKEN_BY_KEY_ID, (key_id,))
        return _token_of(row) if row else None

    def tokens(self, *, agent: int | None, after: int, limit: int) -> Sequence[Token]:
        """See ports.Session.tokens."""
        text, parameters = f"{statements.TOKENS} WHERE t.number > ?", [after]
        if agent is not None:
            text, parameters = f"{text} AND t.agent = ?", [after, agent]
        rows = self.aside.all(f"{text} ORDER BY t.number LIMIT ?", [*parameters, limit])
        return [_token_of(row) for row in rows]

    def add_token(self, token: Token) -> None:
        """See ports.Session.add_token."""
        self.writing()
        self.aside.query(
            TokenRow.insert(
                key_id=token.key_id,
                secret_hash=token.secret_hash,
                agent=token.agent,
                label=token.label,
                created_at=token.created_at,
                expires_at=token.expires_at,
            )
        )
        self.aside.query(AgentRow.update(proves=1).where(AgentRow.number == token.agent))

    def revoke_token(self, token: Token, at: int) -> Token:
        """See ports.Session.revoke_token."""
        self.writing()
        self.aside.query(TokenRow.update(revoked_at=at).where(TokenRow.number == token.number))
        return replace(token, revoked_at=at)

    def use_token(self, token: Token, at: int) -> None:
        """See ports.Session.use_token."""
        self.used.append((token, at))

    def store_use(self, token: Token, at: int) -> None:
        """Write down that a token was used."""
        self.aside.query(TokenRow.update(last_used_at=at).where(TokenRow.number == token.number))


def _token_of(row: Row) -> Token:
    return Token(
        number=row[0],
        key_id=row[1],
        secret_hash=bytes(row[2]),
        agent=row[3],
        agent_id=row[4],
        label=row[5],
        created_at=row[6],
        expires_at=row[7],
        revoked_at=row[8],
        last_used_at=row[9],
    )
