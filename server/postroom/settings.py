"""The server's settings: the only reader of the environment and of the TOML file."""

import os
import tomllib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from postroom.office import Limits, Messaging

CONFIG_VARIABLE = "POSTROOM_CONFIG"


class BadSetting(Exception):
    """A setting has a value that cannot be used; the text names it and says why."""


def _setting(default: Any, doc: str, *, secret: bool = False) -> Any:
    return field(default=default, metadata={"doc": doc}, repr=not secret)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Each field is read from the command line, else POSTROOM_<NAME>, else the file."""

    grpc: str = _setting("127.0.0.1:50051", "Address of the gRPC listener; port 0 picks one.")
    http: str = _setting("127.0.0.1:8787", "Address of the HTTP listener; port 0 picks one.")
    unix_socket: str = _setting("", "A path to serve HTTP on instead, and PATH.grpc for gRPC.")
    database: str = _setting(
        "",
        "sqlite:///… or postgresql://… URL; empty: a file in the data directory.",
        secret=True,
    )
    data_dir: str = _setting("", "The folder of the server's files; empty: the platform's own.")
    log_level: str = _setting("info", "debug, info, warning or error; the log goes to stderr.")
    log_calls: str = _setting("refused", "Which calls the log has a line for: none, refused, all.")
    log_format: str = _setting("auto", "json, text, or auto: text on a terminal, JSON elsewhere.")
    metrics: str = _setting(
        "auto",
        "Where /metrics is: auto (at the HTTP listener while only this machine can reach it), off, "
        "or a loopback address of its own.",
    )
    traces: bool = _setting(False, "Whether calls are traced; OTEL_ variables say where to.")
    require_auth: bool = _setting(False, "Whether every caller must prove itself with a token.")
    tls_cert: str = _setting("", "A PEM file with the certificate of both listeners.")
    tls_key: str = _setting("", "The certificate's key; nobody else may be able to read it.")
    client_ca: str = _setting("", "The authority whose certificates clients must then show.")
    behind_proxy: str = _setting("", "The proxy's network; it may speak plain text and for others.")
    host: str = _setting(
        "", "More names by which the HTTP listener is called, with commas between."
    )
    reflection: str = _setting("auto", "true, false or auto (only where no proof is asked for).")
    foreign_reads: bool = _setting(True, "Whether agents may look into each other's mailboxes.")
    watch_patience: int = _setting(60, "Seconds until a watcher that does not read is cut off.")
    strict_json: bool = _setting(False, "Whether JSON requests with unknown fields are refused.")
    exchange_limit: int = _setting(100, "Mails that one pair of agents may exchange, for good.")
    mailbox_limit: int = _setting(200, "Waiting mails that one mailbox may hold.")
    mail_ttl: int = _setting(604_800, "Seconds until mail expires.")
    mail_retention: int = _setting(2_592_000, "Seconds until expired mail is deleted.")
    request_id_retention: int = _setting(86_400, "Seconds for which a request_id is remembered.")
    convert_images: bool = _setting(True, "Whether images of messages become WebP.")
    messaging_auto_handshake_on_block: bool = _setting(
        True, "Whether a message that is blocked asks its recipients for contact."
    )
    contact_pending_ttl_seconds: int = _setting(
        604_800, "Seconds for which a request for contact stands."
    )
    contact_auto_ttl_seconds: int = _setting(
        43_200, "Seconds for which contact holds that was approved within one MCP session."
    )
    attachment_roots: str = _setting(
        "", "Folders below which absolute paths of attachments may lead, with commas between."
    )
    attachment_bytes_per_day: int = _setting(
        52_428_800, "Bytes of new attachments that one agent may send in 24 hours."
    )
    archive: str = _setting("messages", "What goes to the Git archive: messages, all or off.")
    archive_author: str = _setting(
        "postroom <postroom@localhost>", "In whose name the archive is written: Name <address>."
    )

    @property
    def limits(self) -> Limits:
        """The figures that operations work with."""
        return Limits(
            exchange=self.exchange_limit,
            mailbox=self.mailbox_limit,
            mail_ttl=self.mail_ttl,
            mail_retention=self.mail_retention,
            request_id_retention=self.request_id_retention,
        )

    @property
    def messaging(self) -> Messaging:
        """How messages are sent where their senders do not say."""
        return Messaging(
            converts_images=self.convert_images,
            auto_contact=self.messaging_auto_handshake_on_block,
            pending_contact=self.contact_pending_ttl_seconds,
            in_session_contact=self.contact_auto_ttl_seconds,
            daily_attachments=self.attachment_bytes_per_day,
            archives_messages=self.archive != "off",
            archives_mail=self.archive == "all",
        )

    @property
    def data_path(self) -> Path:
        """The folder for the server's files."""
        return Path(self.data_dir) if self.data_dir else user_data_path("postroom")

    @property
    def archive_path(self) -> Path:
        """The folder of the projects' repositories and files."""
        return self.data_path / "archive"

    @property
    def attachment_folders(self) -> tuple[Path, ...]:
        """The folders below which absolute paths may lead. Raises BadSetting."""
        return _folders(self.attachment_roots)

    @property
    def database_url(self) -> str:
        """The database, the default one filled in."""
        return self.database or f"sqlite:///{self.data_path / 'mail.db'}"


_CHOICES = {
    "archive": ("messages", "all", "off"),
    "log_level": ("debug", "info", "warning", "error"),
    "log_calls": ("none", "refused", "all"),
    "log_format": ("auto", "json", "text"),
    "reflection": ("true", "false", "auto"),
}
# The database's variable has a longer name than its field.
_VARIABLES = {"database": "POSTROOM_DATABASE_URL"}
# Seconds that end within the years that times can be written for, and bytes of a large disk.
_LARGEST = 10_000_000_000
# Known from elsewhere without our prefix, and read where ours is unset.
_PLAIN = (
    "messaging_auto_handshake_on_block",
    "contact_pending_ttl_seconds",
    "contact_auto_ttl_seconds",
)


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return _VARIABLES.get(name, f"POSTROOM_{name.upper()}")


def load(overrides: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> Settings:
    """Read all settings. Raises BadSetting for an unknown name or a bad value."""
    found: dict[str, Any] = _from_file(environ)
    for each in fields(Settings):
        plain = each.name.upper() if each.name in _PLAIN else ""
        if given := environ.get(variable(each.name)) or environ.get(plain):
            found[each.name] = given
    found |= overrides
    return Settings(**{name: _value(name, value) for name, value in found.items()})


def keep_grpc_quiet(environ: MutableMapping[str, str] = os.environ) -> None:
    """Keep gRPC's core from lines of its own on stderr, in a form of its own.

    Whoever wants them sets GRPC_VERBOSITY. To be called before gRPC is imported.
    """
    environ.setdefault("GRPC_VERBOSITY", "NONE")


def _from_file(environ: Mapping[str, str]) -> dict[str, Any]:
    named = environ.get(CONFIG_VARIABLE)
    path = Path(named) if named else user_config_path("postroom") / "postroom.toml"
    if not named and not path.exists():
        return {}
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"cannot read the settings file {path}: {error}") from None
    unknown = found.keys() - {each.name for each in fields(Settings)}
    if unknown:
        raise BadSetting(f"{path} has unknown settings: {', '.join(sorted(unknown))}")
    return found


def _value(name: str, value: Any) -> Any:
    default: object = next(each.default for each in fields(Settings) if each.name == name)
    wanted = type(default)
    if wanted is bool:
        return _switch(name, value)
    if wanted is int:
        return _number(name, value)
    if isinstance(value, list | dict):
        raise BadSetting(f"{variable(name)} is a list or a table; give one text in quotes")
    if name in _CHOICES and str(value).lower() not in _CHOICES[name]:
        *most, last = _CHOICES[name]
        raise BadSetting(f"{variable(name)} is {value!r}; give {', '.join(most)} or {last}")
    return str(value).lower() if name in _CHOICES else str(value)


def _switch(name: str, value: Any) -> bool:
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    try:
        return words[str(value).lower()]
    except KeyError:
        raise BadSetting(f"{variable(name)} is {value!r}; give true or false") from None


def _number(name: str, value: Any) -> int:
    try:
        # What the file gives as true or 2.5 is no number of things.
        number = 0 if isinstance(value, bool | float) else int(value)
    except (TypeError, ValueError):
        number = 0
    if not 0 < number <= _LARGEST:
        told = f"{variable(name)} is {value!r}; give a whole number from 1 to {_LARGEST:,}"
        raise BadSetting(told)
    return number


def _folders(text: str) -> tuple[Path, ...]:
    found = tuple(Path(part.strip()) for part in text.split(",") if part.strip())
    for each in found:
        if not each.is_absolute():
            told = f"{variable('attachment_roots')} names {str(each)!r}; give absolute paths"
            raise BadSetting(f"{told}, with commas between")
    return found
