"""The content of attachments in the database."""

from postroom.attachment import StoredFile
from postroom.storage import message_statements as statements
from postroom.storage.message_models import UploadRow
from postroom.storage.transaction import Transaction


class FileQueries(Transaction):
    """The part of a session that deals with the content of attachments."""

    def file(self, workflow: int, sha256: str) -> StoredFile | None:
        """See FileQuestions.file."""
        row = self.connection.one(statements.FILE, (workflow, sha256))
        if row is None:
            return None
        return StoredFile(
            sha256=row[0], media_type=row[1], width=row[2], height=row[3], data=bytes(row[4])
        )

    def may_see_file(self, agent: int, workflow: int, sha256: str) -> bool:
        """See FileQuestions.may_see_file."""
        return bool(self.connection.one(statements.MAY_SEE_FILE, (agent, sha256, workflow)))

    def file_sender(self, workflow: int, sha256: str) -> str | None:
        """See FileQuestions.file_sender."""
        row = self.connection.one(statements.FILE_SENDER, (sha256, workflow))
        return row[0] if row else None

    def keep_file(self, workflow: int, file: StoredFile, at: int) -> None:
        """See FileQuestions.keep_file."""
        self.writing()
        facts = file.sha256, file.media_type, file.width, file.height
        self.connection.run(statements.KEEP_FILE, (workflow, *facts, at, file.data))

    def sent_bytes(self, agent: int, since: int) -> int:
        """See FileQuestions.sent_bytes."""
        row = self.connection.one(statements.SENT_BYTES, (agent, since))
        return int(row[0]) if row else 0

    def count_upload(self, agent: int, size: int, at: int) -> None:
        """See FileQuestions.count_upload."""
        self.writing()
        self.connection.query(UploadRow.insert(agent=agent, at=at, bytes=size))
