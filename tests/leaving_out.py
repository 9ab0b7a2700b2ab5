"""Tests that are left out where something is missing, counted for the last lines of a run."""

from collections.abc import Sequence

import pytest

# By why they are left out, how many; a worker of pytest-xdist hands its own on.
LEFT_OUT: dict[str, int] = {}


def leave_out(
    config: pytest.Config, items: list[pytest.Item], needing: Sequence[pytest.Item], why: str
) -> None:
    """Take tests out of a collection; `why` reads on with "N tests were left out"."""
    if needing:
        LEFT_OUT[why] = LEFT_OUT.get(why, 0) + len(needing)
        config.hook.pytest_deselected(items=needing)
        items[:] = [item for item in items if item not in needing]
