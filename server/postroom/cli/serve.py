"""`postroom serve`: hands the options that were given to the server."""

from typing import NamedTuple

import click

from postroom.cli.terminal import fill_closed_files


class Option(NamedTuple):
    """An option, the variable behind it, and what holds when neither is set."""

    flag: str
    metavar: str
    variable: str
    default: str
    text: str
    # A switch takes no value; a list may be given several times.
    is_switch: bool = False
    is_list: bool = False


OPTIONS = (
    Option("--grpc", "ADDRESS", "POSTROOM_GRPC", "127.0.0.1:50051", "Where to serve gRPC."),
    Option("--http", "ADDRESS", "POSTROOM_HTTP", "127.0.0.1:8787", "Where to serve HTTP."),
    Option(
        "--unix-socket",
        "PATH",
        "POSTROOM_UNIX_SOCKET",
        "none",
        "Serve HTTP there and gRPC at PATH.grpc, for your own programs alone, and open no port.",
    ),
    Option(
        "--database",
        "URL",
        "POSTROOM_DATABASE_URL",
        "a file in the data directory",
        "sqlite:///FILE or postgresql://HOST/NAME. A password belongs in the variable: other users "
        "can see it here.",
    ),
    Option(
        "--data-dir",
        "DIRECTORY",
        "POSTROOM_DATA_DIR",
        "the platform's user data directory",
        "Where the server keeps its data.",
    ),
    Option(
        "--require-auth",
        "",
        "POSTROOM_REQUIRE_AUTH",
        "off on loopback, always on beyond",
        "Let nobody call without a token.",
        is_switch=True,
    ),
    Option(
        "--tls-cert",
        "FILE",
        "POSTROOM_TLS_CERT",
        "none",
        "The certificate of both listeners, in PEM; SIGHUP reads it again.",
    ),
    Option("--tls-key", "FILE", "POSTROOM_TLS_KEY", "none", "Its key, which only you can read."),
    Option(
        "--client-ca",
        "FILE",
        "POSTROOM_CLIENT_CA",
        "none",
        "Who signs the certificates that every client must then show.",
    ),
    Option(
        "--behind-proxy",
        "NETWORK",
        "POSTROOM_BEHIND_PROXY",
        "none",
        "Take plain text from a proxy there, and its word on who calls.",
        is_list=True,
    ),
    Option(
        "--host",
        "NAME",
        "POSTROOM_HOST",
        "the address itself",
        "A name by which callers know the HTTP listener.",
        is_list=True,
    ),
    Option(
        "--metrics",
        "ADDRESS",
        "POSTROOM_METRICS",
        "auto",
        "Where to serve /metrics: auto is the HTTP listener while only this machine can reach it; "
        "off, or a loopback address of its own.",
    ),
    Option("--log-level", "LEVEL", "POSTROOM_LOG_LEVEL", "info", "debug, info, warning or error."),
    Option(
        "--log-calls",
        "WHICH",
        "POSTROOM_LOG_CALLS",
        "refused",
        "Which calls the log has a line for: none, refused or all.",
    ),
)
_TEXT = """Run the post room until it is told to stop.

With no option it works on a fresh machine, for this machine alone, and believes whom callers
say they are. To be reached from other machines it needs --tls-cert and --tls-key, or a proxy
that ends TLS, and then every caller needs a token. Once it is ready it prints
a line for each listener, such as `http 127.0.0.1:8787`; port 0 picks a free one.
"""


def make(name: str) -> click.Command:
    """Make the command."""
    options: list[click.Parameter] = [_option(option) for option in OPTIONS]
    return click.Command(name, params=options, callback=_run, help=_TEXT)


def _option(option: Option) -> click.Option:
    told = f"{option.text}  [{option.variable}; default: {option.default}]"
    if option.is_switch:
        return click.Option([option.flag], is_flag=True, default=None, help=told)
    return click.Option([option.flag], metavar=option.metavar, multiple=option.is_list, help=told)


def _run(**given: str | bool | tuple[str, ...] | None) -> None:
    overrides = {key: _text_of(value) for key, value in given.items() if value not in (None, ())}
    fill_closed_files()
    # Imported now: a server's libraries take longer to load than a call to it takes.
    from postroom.settings import keep_grpc_quiet

    keep_grpc_quiet()
    from postroom.serve import run

    click.get_current_context().exit(run(overrides))


def _text_of(value: str | bool | tuple[str, ...] | None) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)
