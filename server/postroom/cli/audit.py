"""`postroom audit`: looks at the record of foreign reads, in the database itself."""

import re

import click

from postroom.cli.failure import OTHER, Failure
from postroom.cli.terminal import output, put

_HEAD = re.compile(r"[0-9a-f]{64}")
_TEXT = """Check that nobody has tampered with the record of foreign reads.

Each record carries a hash of itself and of the one before. The whole chain is read from the
database, which may be in use and is not changed. Prints how many records there are and the last
hash, the head; exits with 1 and names the first record that does not fit.

Somebody who may write to the database can cut the last records and hide that, or write the whole
chain anew. To notice that too, note the head elsewhere and give it with --since later.
"""


def make(name: str) -> click.Command:
    """Make the group."""
    return click.Group(name, commands=[_verify()], help="Check the record of foreign reads.")


def _verify() -> click.Command:
    options: list[click.Parameter] = [
        click.Option(
            ["--database"],
            metavar="URL",
            help="sqlite:///FILE or postgresql://HOST/NAME.  [POSTROOM_DATABASE_URL; default: a "
            "file in the data directory]",
        ),
        click.Option(
            ["--data-dir"],
            metavar="DIRECTORY",
            help="Where the server keeps its data.  [POSTROOM_DATA_DIR; default: the platform's "
            "user data directory]",
        ),
        click.Option(
            ["--since"], metavar="HEAD", type=_head, help="A head that was printed earlier."
        ),
    ]
    return click.Command("verify", params=options, callback=_run, help=_TEXT)


def _head(value: str) -> str:
    if not _HEAD.fullmatch(value):
        raise click.BadParameter(f"{value!r} is no head; give the 64 digits that verify printed")
    return value


def _run(database: str | None, data_dir: str | None, since: str | None) -> None:
    # Imported now: other commands do not need the database's libraries.
    from postroom.chain import ChainBroken
    from postroom.errors import Refusal
    from postroom.settings import BadSetting, load
    from postroom.storage.migrate import SchemaTooNew
    from postroom.storage.open import BadUrl
    from postroom.storage.sqlite import BadFile
    from postroom.storage.verify import SchemaTooOld, verify

    given = {"database": database, "data_dir": data_dir}
    try:
        settings = load({name: value for name, value in given.items() if value})
        walk = verify(settings.database_url, since or "")
    except ChainBroken as broken:
        raise Failure("data_loss", str(broken), OTHER) from None
    except (BadSetting, BadUrl) as error:
        raise Failure("invalid_argument", str(error)) from None
    except (SchemaTooOld, SchemaTooNew, BadFile) as error:
        raise Failure("failed_precondition", str(error)) from None
    except Refusal as refusal:
        raise Failure(refusal.code.name.lower(), refusal.message) from None
    put(output(), f"records {walk.reads}\nhead {walk.head}")
