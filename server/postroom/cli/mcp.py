"""`postroom mcp`: the tools for a client that starts this command, and its set-up."""

from importlib.util import find_spec

import click

from postroom.cli.environment import MCP_EMBEDDED, NAMES, client, may_embed
from postroom.cli.failure import Failure

_TEXT = """Serve the post room as MCP tools on standard input and output.

An MCP client starts this command and speaks to it; it speaks to the server. `postroom mcp
config` prints what to paste into a client's settings.
"""
_CONFIG = """Print what to paste into an MCP client's settings.

A token is never printed: the settings refer to the variable POSTROOM_TOKEN, or to the file that
POSTROOM_TOKEN_FILE or --token-file names.
"""
CLIENTS = ("claude-code", "codex", "cursor", "vscode", "generic")


def make(name: str) -> click.Group:
    """Make the command, which does its work without a sub-command."""
    told = f"Open the database here when no server answers.  [{MCP_EMBEDDED}=1]"
    group = click.Group(
        name,
        params=[click.Option(["--embedded"], is_flag=True, help=told)],
        callback=_serve,
        invoke_without_command=True,
        help=_TEXT,
        epilog=NAMES,
    )
    group.add_command(_config())
    return group


def _serve(embedded: bool) -> None:
    if click.get_current_context().invoked_subcommand is not None:
        return
    if find_spec("mcp") is None:
        told = "MCP is not installed; install postroom with its extra: pipx install 'postroom[mcp]'"
        raise Failure("failed_precondition", told)
    who = client()
    # Imported now: the MCP library takes longer to load than anything else here.
    from postroom.cli.stdio import run

    run(who, may_embed=embedded or may_embed())


def _config() -> click.Command:
    options: list[click.Parameter] = [
        click.Option(
            ["program", "--client"],
            type=click.Choice(CLIENTS),
            required=True,
            help="Which client's format; generic is the one that most others read.",
        ),
        click.Option(
            ["--agent"],
            metavar="ID",
            help="The agent that calls; else that of POSTROOM_AGENT_ID, else the operator.",
        ),
        click.Option(
            ["over_http", "--http"],
            is_flag=True,
            help="Connect to the server's /mcp instead of starting this command.",
        ),
        click.Option(
            ["with_token", "--token"],
            is_flag=True,
            help="Refer to the variable POSTROOM_TOKEN; so also when it is set now.",
        ),
        click.Option(
            ["--token-file"], metavar="FILE", help="Refer to a file that holds the token."
        ),
    ]
    return click.Command("config", params=options, callback=_print_config, help=_CONFIG)


def _print_config(
    program: str, agent: str | None, over_http: bool, with_token: bool, token_file: str | None
) -> None:
    from postroom.cli.snippet import SetUp, snippet

    set_up = SetUp.read(agent or "", over_http, with_token, token_file or "")
    click.echo(snippet(program, set_up))
