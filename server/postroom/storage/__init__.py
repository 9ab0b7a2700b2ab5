"""The store on SQLite and PostgreSQL, through Peewee."""

from postroom.storage.open import open_store

__all__ = ["open_store"]
