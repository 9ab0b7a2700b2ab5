"""The archive: each project's messages as Markdown files in a Git repository of its own.

The database is the truth. What a send leaves in the outbox, the courier files later; nobody
who sends waits for it.
"""
