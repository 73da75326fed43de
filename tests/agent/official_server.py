"""An MCP server made of the official package: `python official_server.py VERSION`. It speaks that
version of the protocol and no other."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import mcp.server.lowlevel.server as lowlevel
from mcp.server import Server, runner
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

VERSION = sys.argv[1]


def text(words: str) -> TextContent:
    return TextContent(text=words)


CONTENT: dict[str, list[ContentBlock]] = {
    "text": [text("one"), text("Grüße\n😀 \u2028"), text("")],
    "nothing": [],
    "image": [ImageContent(data="AA==", mime_type="image/png"), text("below it")],
    "audio": [AudioContent(data="AA==", mime_type="audio/wav")],
    "resources": [
        EmbeddedResource(resource=TextResourceContents(uri="a:b", text="inside")),
        EmbeddedResource(resource=BlobResourceContents(uri="a:b", blob="AA==")),
        ResourceLink(uri="a:b", name="elsewhere"),
    ],
    "structured": [text('{"a": 1}')],
    "fail": [text("It is broken.")],
    "long": [text("x" * 3_000_000)],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"words": {"type": "string", "description": "What to say."}},
    "additionalProperties": False,
}
TOOLS = [
    *(Tool(name=name, description=f"Returns {name}.", input_schema=SCHEMA) for name in CONTENT),
    Tool(name="echo", input_schema=SCHEMA, annotations=ToolAnnotations(read_only_hint=True)),
    Tool(
        name="hang",
        title="Waits",
        input_schema={"type": "object"},
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    ),
    Tool(name="ask", input_schema={"type": "object"}),
    Tool(name="refuse", input_schema={"type": "object"}),
]


async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
    start = int((params and params.cursor) or 0)
    more = str(start + 3) if start + 3 < len(TOOLS) else None
    return ListToolsResult(tools=TOOLS[start : start + 3], next_cursor=more)


async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
    match params.name:
        case "echo":
            content: list[ContentBlock] = [text((params.arguments or {})["words"])]
        case "hang":
            Path("hanging").touch()
            try:
                await asyncio.sleep(3600)
            finally:
                Path("cancelled").touch()
            raise AssertionError("nobody waits that long")
        case "ask":
            content = [text(await asked(context))]
        case "refuse":
            raise MCPError(code=-32602, message="Not today.")
        case name:
            content = CONTENT[name]

    return CallToolResult(
        content=content,
        structured_content={"a": 1} if params.name == "structured" else None,
        is_error=params.name == "fail",
    )


async def asked(context: Any) -> str:
    """What the client answers to requests of ours."""
    answers = []
    for ask in (context.session.send_ping, context.session.list_roots):
        try:
            answers.append(type(await ask()).__name__)
        except MCPError as error:
            answers.append(type(error).__name__)
    return " ".join(answers)


async def serve_without_handshake(
    server: Any, read_stream: Any, write_stream: Any, **options: Any
) -> None:
    del options["init_options"]
    await runner._serve_modern_stream(server, read_stream, write_stream, **options)


async def main() -> None:
    if VERSION in MODERN_PROTOCOL_VERSIONS:
        vars(lowlevel).update(serve_dual_era_loop=serve_without_handshake)
    else:
        vars(runner).update(HANDSHAKE_PROTOCOL_VERSIONS=(VERSION,))
        vars(runner).update(LATEST_HANDSHAKE_VERSION=VERSION)

    server = Server("official", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


asyncio.run(main())
