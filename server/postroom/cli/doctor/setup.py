"""What is installed, and who else is on the machine."""

from postroom import logins
from postroom.cli.doctor.finding import Finding, ok, problem, warning

_MCP, _POSTGRES = "pipx install 'postroom[mcp]'", "pipx install 'postroom[postgres]'"


def extras(*, has_mcp: bool, has_driver: bool, wants_driver: bool) -> list[Finding]:
    """Judge the optional parts."""
    found = [ok("MCP is installed") if has_mcp else warning("MCP is not installed", _MCP)]
    if wants_driver and not has_driver:
        found.append(problem("the database needs the driver psycopg, which is missing", _POSTGRES))
    return found


def neighbours(names: list[str], *, is_trusted: bool, on_socket: bool = False) -> Finding:
    """Judge whether others on the machine could call as anybody."""
    if on_socket:
        return ok("nobody else can open the server's socket")
    if not is_trusted:
        return ok("the server asks callers for proof")
    if not names:
        return ok("nobody else can log in on this machine")
    told = f"the server believes every caller, and others can log in here: {logins.listed(names)}"
    return warning(told, "start it with --unix-socket PATH, or with --require-auth")
