"""The command `postroom`. Each sub-command is loaded when it is called, not before."""

from collections.abc import Sequence
from importlib import import_module

import click

from postroom.cli.environment import NAMES
from postroom.cli.failure import OTHER, USAGE, Failure, exit_status
from postroom.cli.terminal import discard_output, tell

# Name, module and summary, so that the list can be shown without loading anything.
_COMMANDS = {
    "serve": ("postroom.cli.serve", "Run the post room."),
    "send": ("postroom.cli.friendly", "Send mail to an agent."),
    "list": ("postroom.cli.friendly", "List mail without claiming it."),
    "read": ("postroom.cli.friendly", "Claim and show the mail that waits."),
    "wait": ("postroom.cli.wait", "Wait until mail waits."),
    "message": ("postroom.cli.friendly", "Send, find and answer messages within a project."),
    "contact": ("postroom.cli.friendly", "Ask for contact, answer, and say whom to hear."),
    "project": ("postroom.cli.friendly", "Make projects and list their agents."),
    "agent": ("postroom.cli.friendly", "Make, list, resume and end agents."),
    "token": ("postroom.cli.friendly", "Make, list and revoke tokens."),
    "workflow": ("postroom.cli.friendly", "List workflows."),
    "archive": ("postroom.cli.archive", "Look after the Git archive of messages."),
    "recover": ("postroom.cli.archive", "Rebuild a lost database from the archive."),
    "mcp": ("postroom.cli.mcp", "Serve the post room as MCP tools on standard input and output."),
    "audit": ("postroom.cli.audit", "Check the record of foreign reads."),
    "rpc": ("postroom.cli.rpc", "Call any method of the server."),
    "doctor": ("postroom.cli.doctor.command", "Say what is wrong here and how to mend it."),
}


class Root(click.Group):
    """Knows its commands by name and loads the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Name the commands in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click passes it
        """Load one command."""
        if cmd_name not in _COMMANDS:
            return None
        module, summary = _COMMANDS[cmd_name]
        command: click.Command = import_module(module).make(cmd_name)
        command.help = command.help or summary
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click passes it
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


def root() -> click.Group:
    """Make the command that everything hangs from."""
    group = Root(name="postroom", help=_TEXT, epilog=NAMES)
    with_version = click.version_option(package_name="postroom", message="%(prog)s %(version)s")
    return with_version(group)


_TEXT = "A post office for AI agents and the person who runs them."


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; what went wrong is told on stderr."""
    try:
        status = root().main(list(arguments), "postroom", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.UsageError as error:
        return _told_usage(error)
    except Failure as failure:
        return _told(failure.code, str(failure), failure.status)
    except click.Abort:
        return _told("cancelled", "interrupted", exit_status("cancelled"))
    except BrokenPipeError:
        discard_output()
        return OTHER


def _told_usage(error: click.UsageError) -> int:
    _told("invalid_argument", error.format_message(), USAGE)
    if error.ctx is not None:
        tell(f"Try '{error.ctx.command_path} --help' for help.")
    return USAGE


def _told(code: str, message: str, status: int) -> int:
    tell(f"{code}: {message}")
    return status
