"""The MCP server of a door, for any transport and both eras of the protocol."""

import secrets
from collections.abc import Awaitable
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from postroom.errors import Refusal
from postroom.rpc.contract import Contract
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.rpc.identity import AGENT_ID, AUTHORIZATION
from postroom.rpc.status import refusal_of
from postroom.surfaces.tools.arguments import request_of
from postroom.surfaces.tools.catalog import INSTRUCTIONS, Catalog, Tool
from postroom.surfaces.tools.results import Result, refused, success
from postroom.token import RandomBytes

Context = ServerRequestContext[Any, Any]
_NOBODY = Incoming()


def make_server(
    door: Door,
    contract: Contract,
    *,
    caller: Incoming = _NOBODY,
    random_bytes: RandomBytes = secrets.token_bytes,
) -> Server[Any]:
    """Make the server.

    Who calls is read from each HTTP request, so that sessions cannot mix; `caller` says
    it for transports that have no requests.
    """
    tools = _Tools(door, Catalog(contract, door.specs), caller, random_bytes)
    return Server(
        "postroom",
        version=version("postroom"),
        title="postroom",
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        get_tool_input_schema=tools.catalog.input_schema,
    )


class _Tools:
    """The two handlers."""

    def __init__(
        self, door: Door, catalog: Catalog, caller: Incoming, random_bytes: RandomBytes
    ) -> None:
        self.catalog = catalog
        self._door = door
        self._fixed = caller
        self._random_bytes = random_bytes

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer tools/list."""
        del params
        try:
            offered = self.catalog.offered(self._caller(context))
        except Refusal as refusal:
            raise MCPError(types.INVALID_PARAMS, refusal.message) from None
        return types.ListToolsResult(tools=[_declared(tool) for tool in offered.values()])

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer tools/call: every failure of the call itself is a result."""
        return _written(await _told(self._answer(self._caller(context), params)))

    async def _answer(self, caller: Incoming, params: types.CallToolRequestParams) -> Result:
        tool = self.catalog.offered(caller).get(params.name)
        if tool is None:
            told = f"you have no tool {params.name!a:.80}; call tools/list for those that there are"
            raise MCPError(types.INVALID_PARAMS, told)
        request = request_of(tool.spec, params.arguments)
        response = await self._door.call(tool.spec, request, caller, Outgoing())
        return success(tool.spec, response, self._random_bytes)

    def _caller(self, context: Context) -> Incoming:
        return self._fixed if context.request is None else _of_http(context.request)


def _of_http(request: Any) -> Incoming:
    """Who sent an HTTP request: its headers, and what the listener knows of its connection."""
    names = (AGENT_ID, AUTHORIZATION)
    known = (request.scope.get("extensions") or {}).get("postroom", {})
    return Incoming(
        metadata=[(name, text) for name in names for text in request.headers.getlist(name)],
        peer=request.client.host if request.client else "",
        peer_uris=known.get("peer_uris", ()),
        surface="mcp",
    )


async def _told(answer: Awaitable[Result]) -> Result:
    try:
        return await answer
    except MCPError:
        raise
    except Exception as error:
        # A refusal is told as it is, anything else as an id that the log knows.
        return refused(refusal_of(error))


def _written(result: Result) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.text)],
        structured_content=result.value,
        is_error=result.is_error,
    )


def _declared(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.spec.doc,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.spec.reads_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=tool.spec.is_idempotent,
            open_world_hint=False,
        ),
    )
