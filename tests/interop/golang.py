"""The clients that are written in Go: stubs from our protos, built in the cache."""

import shutil
from pathlib import Path

from tests.interop import toolchain
from tests.interop.toolchain import CACHE, GO_TOOLS, ROOT

HERE = Path(__file__).parent
_SOURCES = ("main.go", "go.mod", "go.sum")


def built(name: str, *plugins: str) -> Path:
    """The path of the client in a folder of this name, built when it is not there."""
    sources = [HERE / name / source for source in _SOURCES]
    versions = [GO_TOOLS[plugin][1] for plugin in plugins]
    mark = toolchain.fingerprint(
        *sources, *toolchain.protos(), *versions, toolchain.go("version"), __doc__ or ""
    )
    folder = CACHE / "clients" / f"{name}-{mark}"
    program = folder / "client"
    if not program.exists():
        shutil.rmtree(folder, ignore_errors=True)
        generate(name, folder, *plugins)
        toolchain.go("build", "-o", "client", ".", cwd=folder)
    return program


def generate(name: str, folder: Path, *plugins: str) -> None:
    """Lay out the client's module with its stubs."""
    (folder / "pb").mkdir(parents=True)
    for source in _SOURCES:
        shutil.copy(HERE / name / source, folder)
    module = f"interop/{name}"
    options: list[str] = []
    for plugin in plugins:
        kind = plugin.removeprefix("protoc-gen-")
        options += [f"--{kind}_out={folder}", f"--{kind}_opt=module={module}"]
        options += toolchain.mapped(kind, f"{module}/pb")
    tools = [toolchain.go_tool(plugin) for plugin in plugins]
    toolchain.protoc("-I", ROOT / "proto", *options, *toolchain.protos(), plugins=tools)
