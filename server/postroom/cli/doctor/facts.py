"""Looks at this machine and asks the server; makes, changes and claims nothing."""

import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from postroom.cli.calling import ask_as
from postroom.cli.command import contract
from postroom.cli.connection import get
from postroom.cli.doctor.identity import Call, Proof, is_operators
from postroom.cli.doctor.mcp_configs import PLACES, Config
from postroom.cli.doctor.server import Said
from postroom.cli.environment import UNIX, Client, operator_token
from postroom.cli.failure import Failure
from postroom.errors import StoreRefusal
from postroom.storage import glance
from postroom.storage.open import BadUrl
from postroom.storage.sqlite import BadFile

_SECONDS = 5.0
_LONGEST = 1 << 20


def page(client: Client, path: str) -> Said:
    """A page of the server's, or why there is none."""
    try:
        return get(client, path, _SECONDS)
    except Failure as failure:
        return failure


def call(client: Client) -> Call:
    """Look into the caller's own mailbox, as every command would."""
    proof = Proof.CERTIFICATE if client.certificates.certificate else Proof.NONE
    proof = Proof.TOKEN if client.token else proof
    made = Call(client.agent_id, proof, _said(client), is_operators(client.token))
    if isinstance(made.said, Failure) and made.said.reason == "TOKEN_REQUIRED":
        try:
            token = operator_token(client)
        except Failure as failure:
            return replace(made, said=failure)
        if token:
            said = _said(replace(client, token=token))
            return replace(made, proof=Proof.OPERATOR_FILE, said=said, is_operator_token=True)
    return made


def is_trusted(client: Client) -> bool:
    """Whether somebody who names and proves nobody may call."""
    # A certificate may name an agent, so that the call would not be nobody's.
    if client.certificates.certificate:
        return False
    return not isinstance(_said(replace(client, agent_id="", token="")), Failure)


def agent(client: Client, made: Call, id: str) -> Any:
    """The caller's entry, None where it cannot be had."""
    token = operator_token(client) if made.proof is Proof.OPERATOR_FILE else client.token
    said = _said(replace(client, token=token), "GetAgent", {"id": id})
    return None if isinstance(said, Failure) else said.get("agent")


def _said(client: Client, method: str = "ListMail", request: Any = None) -> Any:
    spec = next(spec for spec in contract().specs if spec.name == method)
    asked = {"pagination": {"limit": 1}} if request is None else request
    try:
        return ask_as(client, spec, asked, _SECONDS)[1]
    except Failure as failure:
        return failure


def listens(address: str) -> str:
    """Why nothing takes connections at HOST:PORT or unix:PATH; '' when something does."""
    try:
        if address.startswith(UNIX):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
                link.settimeout(_SECONDS)
                link.connect(address.removeprefix(UNIX))
        else:
            host, _, port = address.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", "") or "no answer"
    return ""


def schema(url: str) -> int | Exception | None:
    """The schema of the database, or why it cannot be read."""
    try:
        return glance.schema(url)
    except (BadUrl, BadFile, StoreRefusal, OSError) as error:
        return error


def free(path: Path) -> tuple[Path, int]:
    """The nearest folder that is there, and how many bytes are free in it."""
    there = next((each for each in (path, *path.parents) if each.is_dir()), Path("/"))
    return there, shutil.disk_usage(there).free


def configs(folder: Path) -> Iterator[Config]:
    """The settings of MCP clients in the project around a folder."""
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    for root in dict.fromkeys((folder, top or folder)):
        for place in PLACES:
            path = root / place
            try:
                with path.open("rb") as file:
                    text = file.read(_LONGEST).decode("utf-8", "replace")
            except OSError:
                continue
            shown = place if root == folder else str(path)
            yield Config(place, text, shown, is_in_work_tree=top is not None)


def can_run(command: str) -> bool:
    """Whether a client could start this command."""
    return shutil.which(Path(command).expanduser()) is not None


def has(module: str) -> bool:
    """Whether an optional library is installed."""
    return find_spec(module) is not None
