"""Settings: which values are refused, from the file and from variables."""

from pathlib import Path

import pytest

from postroom.settings import BadSetting, load


def _from_file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "postroom.toml"
    path.write_text(text, "utf-8")
    return {"POSTROOM_CONFIG": str(path)}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('host = ["a.example", "b.example"]', "POSTROOM_HOST is a list or a table"),
        ("[grpc]\nport = 1", "POSTROOM_GRPC is a list or a table"),
        ("exchange_limit = true", "POSTROOM_EXCHANGE_LIMIT is True; give a whole number"),
        ("mail_ttl = 2.9", "POSTROOM_MAIL_TTL is 2.9; give a whole number"),
        ("mail_ttl = 0", "POSTROOM_MAIL_TTL is 0; give a whole number"),
        ("mail_ttl = 10000000001", "from 1 to 10,000,000,000"),
        ("traces = [true]", "POSTROOM_TRACES is [True]; give true or false"),
        ("archive = true", "POSTROOM_ARCHIVE is True; give messages, all or off"),
    ],
)
def test_a_value_of_another_kind_is_refused_and_not_bent(
    tmp_path: Path, line: str, told: str
) -> None:
    with pytest.raises(BadSetting) as refused:
        load({}, _from_file(tmp_path, line))
    assert told in str(refused.value)


def test_values_of_the_file_may_be_of_their_own_kind_or_texts(tmp_path: Path) -> None:
    lines = 'host = "a.example,b.example"\nreflection = true\nmail_ttl = "60"\ntraces = true\n'
    found = load({}, _from_file(tmp_path, f'{lines}archive_author = "Jörg <j@example>"'))
    assert (found.host, found.reflection, found.mail_ttl) == ("a.example,b.example", "true", 60)
    assert (found.traces, found.archive_author) == (True, "Jörg <j@example>")


@pytest.mark.parametrize("roots", ["images", "/srv/a, b", "./x", "~/images"])
def test_the_roots_of_attachments_are_absolute(roots: str) -> None:
    settings = load({}, {"POSTROOM_CONFIG": "/dev/null", "POSTROOM_ATTACHMENT_ROOTS": roots})
    with pytest.raises(BadSetting, match="give absolute paths"):
        _ = settings.attachment_folders


def test_the_roots_of_attachments_are_told_apart_by_commas() -> None:
    given = {"POSTROOM_CONFIG": "/dev/null", "POSTROOM_ATTACHMENT_ROOTS": "/srv/a, /srv/b,"}
    assert load({}, given).attachment_folders == (Path("/srv/a"), Path("/srv/b"))
