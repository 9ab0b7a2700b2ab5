"""One PostgreSQL database for many tests: making a new one costs more than most tests do."""

from postroom.storage import migrate
from postroom.storage.models import TABLES, Setting
from postroom.storage.postgres import connect
from tests.doubles import START

# The migration's last two statements put the operator in.
_OPERATOR = migrate.statements_of(migrate.migrations()[0][1].format(
    now=START, key="", bytes="", without_rowid=""
))[-2:]


def emptied(url: str) -> str:
    """Leave nothing in the database but its settings and the operator."""
    connection = connect(url)
    tables = [model._meta.table_name for model in reversed(TABLES) if model is not Setting]
    counted = [model._meta.table_name for model in TABLES if "number" in model._meta.fields]
    connection.begin(1)
    try:
        for table in tables:
            connection.run(f"DELETE FROM {table}")
        for table in counted:
            connection.run(f"ALTER SEQUENCE {table}_number_seq RESTART")
        for statement in _OPERATOR:
            connection.run(statement)
        connection.commit()
    finally:
        connection.close()
    return url
