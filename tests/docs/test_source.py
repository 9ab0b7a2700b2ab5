"""Rules of the house that no linter knows."""

import ast
import re
import statistics
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "server").rglob("*.py"))
ALL = SOURCES + sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "bench").rglob("*.py"))
MOST_LINES, MOST_FUNCTION_LINES = 300, 40
MEDIAN_LINES, MEDIAN_FUNCTION_LINES = 100, 8


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_fit_on_a_few_screens(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert [name for name, lines in _functions(text) if lines > MOST_FUNCTION_LINES] == []


def test_most_files_and_functions_are_short() -> None:
    files = [len(path.read_text().splitlines()) for path in SOURCES]
    functions = [lines for path in SOURCES for _, lines in _functions(path.read_text())]
    assert statistics.median(files) <= MEDIAN_LINES
    assert statistics.median(functions) <= MEDIAN_FUNCTION_LINES


def test_the_environment_is_read_in_two_places() -> None:
    readers = [
        str(p.relative_to(ROOT)) for p in SOURCES if re.search(r"os\.environ", p.read_text())
    ]
    assert readers == ["server/postroom/cli/environment.py", "server/postroom/settings.py"]


def test_every_operation_belongs_to_a_method() -> None:
    from tests.room import CONTRACT

    modules = {path.stem for path in (ROOT / "server/postroom/operations").glob("[!_]*.py")}
    assert modules == {spec.snake_name for spec in CONTRACT.specs}


def test_the_floors_are_the_versions_that_generated_the_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    floors = dict(line.split(">=") for line in project["dependencies"] if ">=" in line)
    grpc = (ROOT / "gen/agent/v1/agent_service_pb2_grpc.py").read_text()
    assert f"GRPC_GENERATED_VERSION = '{floors['grpcio']}'" in grpc
    generated = re.search(
        r"# Protobuf Python Version: (\S+)", (ROOT / "gen/agent/v1/mail_pb2.py").read_text()
    )
    assert generated
    assert generated[1] == floors["protobuf"]


def test_nothing_names_a_package_registry() -> None:
    hosts = re.compile(r"(pypi\.org|pythonhosted|npmjs\.(org|com)|proxy\.golang|repo1?\.maven)")
    found = [path for path in _texts() if hosts.search(path.read_text(errors="ignore"))]
    assert found == [Path(__file__)]


def _texts() -> Iterator[Path]:
    for pattern in ("*.md", ".ci/*", "docs/**/*", "bench/**/*", "tests/**/*", "Makefile", "*.toml"):
        yield from (path for path in ROOT.glob(pattern) if path.is_file())


def _functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or 0) - node.lineno + 1
