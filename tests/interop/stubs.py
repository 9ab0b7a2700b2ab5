"""The clients whose folders need work before they run: Node, Java, and the wheel."""

import json
import platform
import re
import shutil
import sys
import venv
from functools import cache
from importlib import metadata
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2

from tests.interop import toolchain
from tests.interop.toolchain import CACHE, ROOT

HERE = Path(__file__).parent
_MACHINES = {"x86_64": "linux-x86_64", "aarch64": "linux-aarch_64"}


@cache
def node() -> Path:
    """A folder with the Node clients, their packages and their stubs."""
    sources = sorted(path for path in (HERE / "node").iterdir() if path.is_file())
    mark = toolchain.fingerprint(*sources, *toolchain.protos(), toolchain.run("node", "--version"))
    folder = CACHE / "clients" / f"node-{mark}"
    if not (folder / "pb").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for source in sources:
            shutil.copy(source, folder)
        npm = (toolchain.need("npm"), "ci", "--cache", CACHE / "npm", "--no-audit", "--no-fund")
        toolchain.run(*npm, "--ignore-scripts", cwd=folder)
        _stubs_for_node(folder)
    return folder


def _stubs_for_node(folder: Path) -> None:
    image = folder / "image.binpb"
    toolchain.protoc(
        *("-I", ROOT / "proto", "--include_imports", f"--descriptor_set_out={image}"),
        *toolchain.protos(),
    )
    files = FileDescriptorSet.FromString(image.read_bytes())
    for module in (error_details_pb2, health_pb2):
        module.DESCRIPTOR.CopyToProto(files.file.add())
    known = {file.name for file in files.file}
    if "google/protobuf/duration.proto" not in known:
        from google.protobuf import duration_pb2

        duration_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    image.write_bytes(files.SerializeToString())
    wanted = [file.name for file in files.file if not file.name.startswith("google/protobuf/")]
    (folder / "pb.new").mkdir()
    toolchain.protoc(
        f"--descriptor_set_in={image}",
        f"--es_out={folder / 'pb.new'}",
        *("--es_opt=target=js", "--es_opt=import_extension=js"),
        *wanted,
        plugins=[folder / "node_modules/.bin/protoc-gen-es"],
    )
    (folder / "pb.new").rename(folder / "pb")


@cache
def java() -> str:
    """The class path of the Java client."""
    sources = (HERE / "java/pom.xml", HERE / "java/src/Client.java")
    mark = toolchain.fingerprint(*sources, *toolchain.protos())
    folder = CACHE / "clients" / f"java-{mark}"
    class_path = folder / "target/classpath"
    if not class_path.exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE / "java", folder)
        shutil.copytree(ROOT / "proto", folder / "proto")
        toolchain.run(
            *(toolchain.need("mvn"), "-B", "-q", f"-Dmaven.repo.local={CACHE / 'm2'}"),
            *(f"-Dmachine={_MACHINES[platform.machine()]}", f"-Dmdep.outputFile={class_path}"),
            *("compile", "dependency:build-classpath"),
            cwd=folder,
        )
    return f"{folder / 'target/classes'}:{class_path.read_text().strip()}"


@cache
def wheel() -> Path:
    """The Python of a virtual environment that holds the wheel, built just now."""
    mark = toolchain.fingerprint(ROOT / "pyproject.toml", sys.version)
    built = CACHE / "wheels" / mark
    shutil.rmtree(built, ignore_errors=True)
    pinned = re.search(
        r"^hatchling==\S+", (ROOT / ".ci/requirements.txt").read_text(), re.MULTILINE
    )
    assert pinned
    builder = environment(pinned[0], pinned[0])
    toolchain.run(builder, "-m", "hatchling", "build", "-t", "wheel", "-d", built, cwd=ROOT)
    (file,) = built.glob("*.whl")
    python = environment(f"wheel-{mark}", str(file))
    pip(python, "--force-reinstall", "--no-deps", str(file))
    return python


def environment(name: str, *packages: str) -> Path:
    """The Python of a virtual environment with these packages, made when it is not there."""
    folder = CACHE / "venvs" / name
    python = folder / "bin/python"
    if not (folder / "ready").exists():
        venv.create(folder, clear=True, with_pip=True)
        pip(python, *packages)
        (folder / "ready").touch()
    return python


def pip(python: Path, *arguments: str) -> None:
    """Install packages."""
    quiet = ("--quiet", "--disable-pip-version-check", f"--cache-dir={CACHE / 'pip'}")
    toolchain.run(python, "-m", "pip", "install", *quiet, *arguments)


def versions(name: str) -> dict[str, str]:
    """The versions that a folder's package.json pins."""
    found = json.loads((HERE / name / "package.json").read_text())["dependencies"]
    return dict(found)


def required(name: str, module: str) -> str:
    """The version of a module that a folder's go.mod requires."""
    found = re.search(rf"{re.escape(module)} v(\S+)", (HERE / name / "go.mod").read_text())
    assert found
    return found[1]


def java_version() -> str:
    """The version of grpc-java that the pom pins."""
    found = re.search(r"<grpc.version>(.+)</grpc.version>", (HERE / "java/pom.xml").read_text())
    assert found
    return found[1]


def installed(package: str) -> str:
    """The version of a Python package beside which this runs."""
    return metadata.version(package)
