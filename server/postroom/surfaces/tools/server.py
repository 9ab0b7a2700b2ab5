"""The MCP server of a door, for any transport and both eras of the protocol."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Mapping
from importlib.metadata import version
from typing import Any

import mcp_types as types
from google.protobuf.message import Message
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from postroom.errors import Refusal
from postroom.rpc.contract import Contract, Spec
from postroom.rpc.door import TRACE, Door, Incoming, Outgoing, TurnedAway, nobody_hears
from postroom.rpc.identity import AGENT_ID, AUTHORIZATION
from postroom.rpc.status import refusal_of
from postroom.surfaces.tools.arguments import request_of
from postroom.surfaces.tools.body import LARGE
from postroom.surfaces.tools.catalog import INSTRUCTIONS, Catalog, Tool, is_operator, title_of
from postroom.surfaces.tools.opening import SESSION
from postroom.surfaces.tools.resources import Resources, Template
from postroom.surfaces.tools.results import Result, refused, success
from postroom.surfaces.tools.roles import Roles
from postroom.surfaces.tools.spelling import CAMEL, SNAKE, Spelling, spelling_of
from postroom.token import RandomBytes

Context = ServerRequestContext[Any, Any]
_NOBODY = Incoming()


def make_server(
    door: Door,
    contract: Contract,
    *,
    caller: Incoming = _NOBODY,
    random_bytes: RandomBytes = secrets.token_bytes,
    turned_away: TurnedAway = nobody_hears,
) -> Server[Any]:
    """Make the server.

    Who calls is read from each HTTP request, so that sessions cannot mix; `caller` says
    it for transports that have no requests. `turned_away` hears of requests that became
    no call.
    """
    tools = _Tools(door, Catalog(contract, door.specs), caller, random_bytes, turned_away)
    resources = _Resources(door, caller, random_bytes)
    return Server(
        "postroom",
        version=version("postroom"),
        title="postroom",
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        get_tool_input_schema=tools.catalog.input_schema,
    )


class _Tools:
    """The handlers of tools."""

    def __init__(
        self,
        door: Door,
        catalog: Catalog,
        caller: Incoming,
        random_bytes: RandomBytes,
        turned_away: TurnedAway,
    ) -> None:
        self.catalog = catalog
        self._roles = Roles(door)
        self._door = door
        self._fixed = caller
        self._random_bytes = random_bytes
        self._turned_away = turned_away

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer tools/list."""
        del params
        try:
            offered = await self._offered(caller_of(context, self._fixed))
        except Refusal as refusal:
            raise MCPError(types.INVALID_PARAMS, refusal.message) from None
        return types.ListToolsResult(tools=[_declared(tool) for tool in offered.values()])

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer tools/call: every failure of the call itself is a result."""
        caller, is_large = caller_of(context, self._fixed), _is_large(context)
        answer = self._answer(caller, params, is_large=is_large)
        known = self.catalog.find(params.name)
        return _written(await _told(answer, spelling_of(known.spec) if known else CAMEL))

    async def _answer(
        self, caller: Incoming, params: types.CallToolRequestParams, *, is_large: bool
    ) -> Result:
        offered = await self._offered(caller, params.name)
        tool = offered.get(params.name)
        if tool is None:
            told = f"you have no tool {params.name!a:.80}; call tools/list for those that there are"
            raise MCPError(types.INVALID_PARAMS, told)
        request = await self._request(tool.spec, params.arguments, caller, is_large=is_large)
        response = await self._door.call(tool.spec, request, caller, Outgoing())
        return success(tool.spec, response, self._random_bytes)

    async def _offered(self, caller: Incoming, name: str = "") -> Mapping[str, Tool]:
        """The tools of a caller; its role is asked for only where it decides anything.

        Whoever is not known may still list the tools that everybody has. Raises Refusal.
        """
        role = ""
        if not (self.catalog.is_for_all(name) or is_operator(caller)):
            try:
                role = await self._roles.of(caller)
            except Refusal:
                if name:
                    raise
        return self.catalog.offered(caller, role)

    async def _request(
        self, spec: Spec, arguments: Any, caller: Incoming, *, is_large: bool
    ) -> Message:
        try:
            if is_large:
                return await asyncio.to_thread(request_of, spec, arguments)
            return request_of(spec, arguments)
        except Refusal as refusal:
            self._turned_away("mcp", refusal.code, refusal.reason, caller.peer)
            raise


class _Resources:
    """The handlers of resources: each reads one by a call of the method behind it."""

    def __init__(self, door: Door, caller: Incoming, random_bytes: RandomBytes) -> None:
        self._resources = Resources(door.specs)
        self._door = door
        self._fixed = caller
        self._random_bytes = random_bytes

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer resources/list: what there is depends on ids, so only templates are told."""
        del context, params
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer resources/templates/list."""
        del context, params
        found = [_template(one) for one in self._resources.templates]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer resources/read: the structured form and the text form."""
        try:
            result = await self._read(caller_of(context, self._fixed), params.uri)
        except MCPError:
            raise
        except Exception as error:
            told = refused(refusal_of(error), SNAKE)
            raise MCPError(types.INVALID_PARAMS, told.text, told.value) from None
        # Escapes of all but ASCII leave nothing hidden in the text.
        forms = (("application/json", json.dumps(result.value)), ("text/plain", result.text))
        contents: list[types.TextResourceContents | types.BlobResourceContents] = [
            types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
            for kind, text in forms
        ]
        return types.ReadResourceResult(contents=contents)

    async def _read(self, caller: Incoming, uri: str) -> Result:
        found = self._resources.find(uri)
        if found is None:
            told = f"there is no resource {uri!a:.200}; call resources/templates/list"
            raise MCPError(types.INVALID_PARAMS, told)
        spec, request = found
        response = await self._door.call(spec, request, caller, Outgoing())
        return success(spec, response, self._random_bytes)


def caller_of(context: Context, fixed: Incoming) -> Incoming:
    """Who calls: whom the HTTP request names, else the one whose transport it is."""
    return fixed if context.request is None else _of_http(context.request)


def _is_large(context: Context) -> bool:
    """Whether an HTTP request is so large that reading it takes a while."""
    return context.request is not None and bool(context.request.scope.get(LARGE))


def _of_http(request: Any) -> Incoming:
    """Who sent an HTTP request: its headers, and what the listener knows of its connection."""
    names = (AGENT_ID, AUTHORIZATION, *TRACE)
    known = (request.scope.get("extensions") or {}).get("postroom", {})
    return Incoming(
        metadata=[(name, text) for name in names for text in request.headers.getlist(name)],
        peer=request.client.host if request.client else "",
        peer_uris=known.get("peer_uris", ()),
        is_proxied=bool(known.get("is_proxied")),
        session=request.scope.get(SESSION, ""),
        surface="mcp",
    )


async def _told(answer: Awaitable[Result], spelling: Spelling) -> Result:
    try:
        return await answer
    except MCPError:
        raise
    except Exception as error:
        # A refusal is told as it is, anything else as an id that the log knows.
        return refused(refusal_of(error), spelling)


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


def _template(template: Template) -> types.ResourceTemplate:
    spec = template.spec
    return types.ResourceTemplate(
        uri_template=template.uri,
        name=spec.snake_name,
        title=title_of(spec),
        description=spec.doc,
        mime_type="application/json",
    )
