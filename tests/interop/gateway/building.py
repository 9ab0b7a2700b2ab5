"""Builds the real gateway for a set of protos."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

from tests.interop import toolchain
from tests.interop.toolchain import CACHE, GO_TOOLS

HERE = Path(__file__).parent
_PLUGINS = ("protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-grpc-gateway")
_SOURCES = ("main.go", "go.mod", "go.sum")


@dataclass(frozen=True)
class Source:
    """Protos as descriptors, and what the generated Go calls their services."""

    name: str
    files: FileDescriptorSet
    own: tuple[str, ...]
    services: tuple[str, ...]


def source(name: str, pool: DescriptorPool, *file_names: str) -> Source:
    """The protos that declare services, with all that they import."""
    found: dict[str, FileDescriptor] = {}
    services: list[str] = []
    for file_name in file_names:
        file = pool.FindFileByName(file_name)
        _collect(file, found)
        services += file.services_by_name
    files = FileDescriptorSet()
    for file in found.values():
        file.CopyToProto(files.file.add())
    own = tuple(name for name in found if not name.startswith("google/"))
    return Source(name, files, own, tuple(services))


def built(given: Source) -> Path:
    """The path of the gateway, built when it is not there."""
    image = given.files.SerializeToString(deterministic=True)
    versions = [GO_TOOLS[name][1] for name in _PLUGINS]
    mark = toolchain.fingerprint(
        image.hex(), *versions, *(HERE / name for name in _SOURCES), toolchain.go("version")
    )
    folder = CACHE / "gateway" / f"{given.name}-{mark}"
    program = folder / "gateway"
    if not program.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _generate(given, image, folder)
        toolchain.go("build", "-o", "gateway", ".", cwd=folder)
    return program


def _generate(given: Source, image: bytes, folder: Path) -> None:
    generated = folder / "pb"
    generated.mkdir(parents=True)
    for name in _SOURCES:
        shutil.copy(HERE / name, folder)
    (folder / "image.binpb").write_bytes(image)
    adds = ", ".join(f"pb.Register{name}HandlerFromEndpoint" for name in given.services)
    (folder / "services.go").write_text(
        f'package main\n\nimport pb "interop/gateway/pb"\n\nvar services = []register{{{adds}}}\n'
    )
    options = ["--grpc-gateway_opt=generate_unbound_methods=true"]
    for kind in ("go", "go-grpc", "grpc-gateway"):
        options += [f"--{kind}_out={folder}", f"--{kind}_opt=module=interop/gateway"]
        options += [f"--{kind}_opt=M{name}=interop/gateway/pb" for name in given.own]
    plugins = [toolchain.go_tool(name) for name in _PLUGINS]
    descriptors = f"--descriptor_set_in={folder / 'image.binpb'}"
    toolchain.protoc(descriptors, *options, *given.own, plugins=plugins)


def _collect(file: FileDescriptor, found: dict[str, FileDescriptor]) -> None:
    if file.name not in found:
        for dependency in file.dependencies:
            _collect(dependency, found)
        found[file.name] = file
