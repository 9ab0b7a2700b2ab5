import pytest

from postroom.attaching.names import display_name


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a.png", "a.png"),
        ("shots/my pic.png", "my pic.png"),
        ("C:\\shots\\a.png", "a.png"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\x1b[31m\u202egnp.png\n", "ab[31mgnp.png"),
        ("shots/", "shots"),
        ("", "image"),
        (" / ", "image"),
        ("\u200b\n", "image"),
        ("ä" * 300, "ä" * 255),
    ],
)
def test_a_name_is_shown_without_path_and_controls(given: str, shown: str) -> None:
    assert display_name(given) == shown
