"""Runs the toolchains; what they download and build is kept in one folder outside the checkout."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "postroom-interop"
GO_TOOLS = {
    "protoc-gen-go": ("google.golang.org/protobuf/cmd/protoc-gen-go", "v1.36.12"),
    "protoc-gen-go-grpc": ("google.golang.org/grpc/cmd/protoc-gen-go-grpc", "v1.6.2"),
    "protoc-gen-grpc-gateway": (
        "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway",
        "v2.30.0",
    ),
    "protoc-gen-connect-go": ("connectrpc.com/connect/cmd/protoc-gen-connect-go", "v1.21.1"),
    "grpcurl": ("github.com/fullstorydev/grpcurl/cmd/grpcurl", "v1.9.4"),
}
MOST_SECONDS = 600


class ToolFailed(Exception):
    """A program is missing or ended with an error; the text has what it said."""


def need(program: str) -> str:
    """The path of a program. Raises ToolFailed when it is not installed."""
    found = shutil.which(program)
    if not found:
        raise ToolFailed(f"{program} is not installed, and this suite leaves nothing out")
    return found


def run(
    *command: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: int = MOST_SECONDS,
) -> str:
    """What a program prints. Raises ToolFailed when it fails or takes too long."""
    whole = [str(part) for part in command]
    try:
        done = subprocess.run(
            whole,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"{whole[0]} was not done after {seconds} seconds") from None
    if done.returncode:
        said = f"{done.stdout}\n{done.stderr}".strip()[-4000:]
        raise ToolFailed(f"{' '.join(whole)[:300]} ended with {done.returncode}: {said}")
    return done.stdout


def go(*arguments: str, cwd: Path | None = None, **env: str) -> str:
    """Run the go command with folders of this suite's own."""
    flags = f"{os.environ.get('GOFLAGS', '')} -modcacherw".strip()
    own = {"GOPATH": str(CACHE / "go"), "GOCACHE": str(CACHE / "go-build"), "GOFLAGS": flags}
    return run(need("go"), *arguments, cwd=cwd, env={**own, **env})


def go_tool(name: str) -> Path:
    """The path of a tool written in Go, built when it is not there."""
    package, version = GO_TOOLS[name]
    folder = CACHE / "bin" / f"{name}-{version}"
    if not (folder / name).exists():
        go("install", f"{package}@{version}", GOBIN=str(folder))
    return folder / name


def protoc(*arguments: str | Path, plugins: Iterable[Path] = ()) -> None:
    """Run the protoc of grpcio-tools with plugins."""
    import google.api.http_pb2

    common = Path(google.api.http_pb2.__file__).parents[2]
    named = [f"--plugin={plugin.name}={plugin}" for plugin in plugins]
    run(sys.executable, "-m", "grpc_tools.protoc", "-I", common, *named, *arguments)


def protos() -> list[Path]:
    """Our protos."""
    return sorted((ROOT / "proto/agent/v1").glob("*.proto"))


def mapped(kind: str, package: str) -> list[str]:
    """Options that give our protos a Go package."""
    names = [str(path.relative_to(ROOT / "proto")) for path in protos()]
    return [f"--{kind}_opt=M{name}={package}" for name in names]


def fingerprint(*inputs: Path | str) -> str:
    """A short name for the contents of files and texts."""
    digest = hashlib.sha256()
    for each in inputs:
        text = each.read_bytes() if isinstance(each, Path) else each.encode()
        digest.update(len(text).to_bytes(8) + text)
    return digest.hexdigest()[:16]
