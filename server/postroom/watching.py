"""How slowly a watcher may read."""

from postroom.errors import Code, Refusal

PATIENCE_SECONDS = 60.0


def lagged(seconds: float) -> Refusal:
    """Cut a watcher off that has not read for so long."""
    return Refusal(
        f"you have not read for {seconds:g} s, so this stream ends; open it again with the "
        "cursor of the last event that you got, and nothing is lost",
        Code.RESOURCE_EXHAUSTED,
        "WATCH_LAGGED",
    )
