"""The numbers and names of MCP that its client and its server share."""

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first
# A version without a handshake: each request says what it speaks. Only the client knows it.
STATELESS_VERSION = "2026-07-28"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
INVALID_PARAMETERS = -32602
OWN_ERROR = -32603
